"""Labels of each format, written and read again: equal rows, and a name for all that is lost."""

from __future__ import annotations

import json
import lzma
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest

from foretext.base.errors import CorpusError, OutputError, SettingError
from foretext.data.rows import TaggedSentence, read_pairs, read_tagged, read_texts
from foretext.data.rows.conversion import convert_labels
from foretext.data.rows.findings import find_tag_problems
from foretext.data.rows.label_formats import LABEL_FORMATS, TaskFormat, docbin
from foretext.metrics import Span, detect_notation, entity_spans

needs_spacy = pytest.mark.skipif(find_spec("spacy") is None, reason="spaCy is not installed")
EVERY = [
    pytest.param(name, marks=[needs_spacy, pytest.mark.slow] if name == "docbin" else [])
    for name in LABEL_FORMATS
]
SUFFIXES = {name: (each.suffixes or (".jsonl",))[0] for name, each in LABEL_FORMATS.items()}
OF_TEXTS = [each for each in EVERY if "texts" in LABEL_FORMATS[each.values[0]].holds]
OF_SPANS = [each for each in EVERY if "spans" in LABEL_FORMATS[each.values[0]].holds]
OF_OFFSETS = [each for each in OF_SPANS if not LABEL_FORMATS[each.values[0]].is_of_tokens]
OF_TOKENS = [each for each in OF_SPANS if LABEL_FORMATS[each.values[0]].is_of_tokens]

# Files of sentences, and how many of them stand for one that is tested.
TRAINED_ON = [("conll2003/eng.train.xz", 14), ("msra_ner/msra.train.txt.xz", 90)]
TEXTS = {
    "a ship": "sea",
    "=SUM(A1:A9)": "law",
    '\'quoted, "twice"': "law",
    "one\nline\tmore": "sea",
    "漢字 and 😀": "law",
    "cafe\u0301": "sea",
}
# Entities in raw texts, with offsets of characters: emoji, Chinese, a mark that joins the letter
# before it, odd blanks, and a text without any.
RAW = [
    ("😀 Ada met Bo  Li.", [(2, 5, "PER"), (10, 16, "PER")]),
    ("在香港、澳門", [(1, 3, "LOC"), (4, 6, "LOC")]),
    ("Rene\u0301 lives\n in\u00a0Rome ", [(0, 5, "PER"), (16, 20, "LOC")]),
    ("nothing here", []),
    (" 👩‍🚀 Zoë\u2003flew", [(5, 8, "PER")]),
]
ODD = [  # offsets within a word, one in another, two that cross
    ("Adams Bo Li Ho", [(0, 3, "PER"), (6, 11, "PER"), (9, 11, "PER"), (9, 14, "ORG")]),
]


def _raw(path: Path, rows: Sequence[tuple[str, Sequence[tuple[int, int, str]]]]) -> Path:
    lines = (
        {
            "text": text,
            "spans": [{"start": start, "end": end, "label": label} for start, end, label in spans],
        }
        for text, spans in rows
    )
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def _entities(rows: Sequence[TaggedSentence]) -> list[tuple[tuple[str, ...], list[Span]]]:
    notation = detect_notation(row.tags for row in rows)
    assert notation is not None
    return [(row.tokens, entity_spans(notation.read(row.tags))) for row in rows]


def test_every_format_has_a_name() -> None:
    assert set(get_args(TaskFormat)) == set(LABEL_FORMATS)
    assert all(name == each.name for name, each in LABEL_FORMATS.items())
    suffixes = [suffix for each in LABEL_FORMATS.values() for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("format", OF_TEXTS)
def test_texts_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in TEXTS.items()]
    source.write_text("\n".join(lines))
    target = tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(source, target, format)
    assert (made.task, made.rows, made.answers, made.misfits) == ("classification", 6, 6, ())
    back = tmp_path / "back.jsonl"
    convert_labels(target, back)
    assert [json.loads(line) for line in back.read_text("utf-8").splitlines()] == [
        {"text": text, "label": label} for text, label in TEXTS.items()
    ]


@pytest.mark.parametrize("format", OF_TEXTS)
def test_several_labels_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    source, target = tmp_path / "rows.jsonl", tmp_path / f"made{SUFFIXES[format]}"
    rows = [("a ship", ["law", "sea"]), ("a cow", []), ("a court", ["law"])]
    source.write_text("\n".join(json.dumps({"text": a, "label": b}) for a, b in rows))
    convert_labels(source, target, format)
    more: dict[str, Any] = {"label_separator": " | "} if format == "csv" else {}
    again = convert_labels(target, tmp_path / "back.jsonl", task="classification", rows=more)
    assert again.answers == 3
    assert [(row.text, list(row.labels)) for row in read_texts(tmp_path / "back.jsonl")] == rows


@pytest.mark.parametrize("format", ["csv", "jsonl", "label-studio", "prodigy", "doccano"])
def test_pairs_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    source, target = tmp_path / "rows.csv", tmp_path / f"made{SUFFIXES[format]}"
    source.write_text('text_a,text_b,label\na ship,"a boat, red",same\n=one,two,other\n')
    assert convert_labels(source, target, format).task == "matching"
    assert [row[:3] for row in read_pairs(target)] == [row[:3] for row in read_pairs(source)]


@pytest.mark.parametrize("format", OF_SPANS)
def test_entities_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    source, target = _raw(tmp_path / "rows.jsonl", RAW), tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(source, target, format)
    assert (made.task, made.rows, made.answers, made.misfits) == ("tagging", 5, 7, ())
    given = read_tagged(source)
    assert _entities(read_tagged(target)) == _entities(given)


@pytest.mark.parametrize("format", OF_OFFSETS)
@pytest.mark.parametrize("rows", [RAW, ODD])
def test_texts_and_offsets_stay_as_they_are(format: TaskFormat, rows: Any, tmp_path: Path) -> None:
    source, target = _raw(tmp_path / "rows.jsonl", rows), tmp_path / f"made{SUFFIXES[format]}"
    assert convert_labels(source, target, format).misfits == ()
    back = tmp_path / "back.jsonl"
    convert_labels(target, back)
    found = [json.loads(line) for line in back.read_text("utf-8").splitlines()]
    assert [
        (row["text"], [(span["start"], span["end"], span["label"]) for span in row["spans"]])
        for row in found
    ] == [(text, list(spans)) for text, spans in rows]


@pytest.mark.parametrize("format", [each for each in OF_TOKENS if each.values != ("tsv",)])
def test_a_text_is_the_same_behind_a_format_of_tokens(format: TaskFormat, tmp_path: Path) -> None:
    source, target = _raw(tmp_path / "rows.jsonl", RAW), tmp_path / f"made{SUFFIXES[format]}"
    convert_labels(source, target, format)
    convert_labels(target, tmp_path / "back.json")
    tasks = json.loads((tmp_path / "back.json").read_text("utf-8"))
    assert [task["data"]["text"] for task in tasks] == [text for text, _ in RAW]
    found = [task["annotations"][0]["result"] for task in tasks]
    places = [[(each["value"]["start"], each["value"]["end"]) for each in own] for own in found]
    assert places == [[(start, end) for start, end, _ in spans] for _, spans in RAW]


@pytest.mark.parametrize("format", OF_TOKENS)
def test_entities_that_do_not_fit_are_named(format: TaskFormat, tmp_path: Path) -> None:
    source, target = _raw(tmp_path / "rows.jsonl", ODD), tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(source, target, format)
    assert made.answers + sum(misfit.is_lost for misfit in made.misfits) == 4
    place = f"{source}:1"
    assert {misfit.sentence for misfit in made.misfits} == {
        f"{place}: 'Ada' is not whole tokens and became 'Adams'",
        f"{place}: 'Li Ho' overlaps 'Bo Li' and is left out",
        f"{place}: 'Li' overlaps 'Bo Li' and is left out",
    }
    assert made.summary()["misfits"][0].keys() == {"place", "entity", "left_out_beside"}


@pytest.mark.parametrize("format", OF_SPANS)
def test_parts_of_speech_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    words, tags = ["the", "ship", "sails", "at", "dawn", "."], "DET NOUN VERB ADP NOUN PUNCT"
    lines = "".join(f"{w}\t{t}\n" for w, t in zip(words, tags.split(), strict=True))
    (tmp_path / "rows.tsv").write_text(f"{lines}\n{lines}\n")
    target = tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(tmp_path / "rows.tsv", target, format, task="tagging")
    assert made.answers == 12
    rows = read_tagged(target)
    assert [(row.tokens, row.tags) for row in rows] == 2 * [(tuple(words), tuple(tags.split()))]


def test_offsets_of_javascript_become_those_of_characters(tmp_path: Path) -> None:
    task = {
        "data": {"text": "😀😀 Ada"},
        "annotations": [
            {"result": [{"value": {"start": 5, "end": 8, "text": "Ada", "labels": ["PER"]}}]}
        ],
    }
    (tmp_path / "a.json").write_text(json.dumps([task]))
    convert_labels(tmp_path / "a.json", tmp_path / "b.jsonl", "doccano")
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {
        "text": "😀😀 Ada",
        "label": [[3, 6, "PER"]],
    }


def test_rows_that_nobody_has_labelled_are_counted(tmp_path: Path) -> None:
    tasks = [
        {"data": {"text": "a"}, "annotations": [{"result": [{"value": {"choices": ["x"]}}]}]},
        {"data": {"text": "b"}, "annotations": []},
    ]
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    made = convert_labels(tmp_path / "a.json", tmp_path / "b.csv")
    assert (made.rows, made.unlabelled) == (1, 1)
    assert (tmp_path / "b.csv").read_text() == "text,label\na,x\n"


def test_suggestions_are_no_labels(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\na ship,sea\n")
    convert_labels(tmp_path / "a.csv", tmp_path / "b.json", suggested=True)
    (task,) = json.loads((tmp_path / "b.json").read_text())
    assert task["predictions"][0]["result"][0]["value"] == {"choices": ["sea"]}
    with pytest.raises(CorpusError, match="has no rows"):
        read_texts(tmp_path / "b.json")


@pytest.mark.parametrize("format", LABEL_FORMATS)
def test_suggestions_are_told_apart_or_refused(format: TaskFormat, tmp_path: Path) -> None:
    """They are all in the file, and nobody reads them as labels of a person."""
    target, each = tmp_path / f"made{SUFFIXES[format]}", LABEL_FORMATS[format]
    given = [_raw(tmp_path / "raw.jsonl", RAW), tmp_path / "a.tsv", tmp_path / "a.csv"]
    given[1].write_text("Ada\tB-PER\nmet\tO\n\nBo\tB-PER\nLi\tI-PER\n\n")
    given[2].write_text("text,label\na ship,sea\na court,law\n")
    for source, kind in zip(given, ("spans", "spans", "texts"), strict=True):
        if kind not in each.holds:
            continue
        if not each.marks_suggestions:
            with pytest.raises(SettingError, match=f"no effect in {format}, which cannot tell"):
                convert_labels(source, target, format, suggested=True)
            assert not target.exists()
            continue
        convert_labels(source, target, format, suggested=True, overwrite=True)
        written = target.read_text("utf-8")
        assert all(label in written for label in ("PER",) * (kind == "spans") or ("sea", "law"))
        with pytest.raises(CorpusError):
            (read_tagged if kind == "spans" else read_texts)(target)


def test_json_lines_keep_the_places_of_suggested_entities(tmp_path: Path) -> None:
    source = _raw(tmp_path / "rows.jsonl", RAW)
    convert_labels(source, tmp_path / "made.jsonl", suggested=True)
    rows = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text("utf-8").splitlines()]
    assert all(row["spans"] is None for row in rows)
    found = [[(e["start"], e["end"], e["label"]) for e in row["suggested"]] for row in rows]
    assert found == [list(spans) for _, spans in RAW]


def test_entities_in_the_last_column_of_conllu(tmp_path: Path) -> None:
    line = "1\tAda\t_\t_\t_\t_\t_\t_\t_\t"
    (tmp_path / "a.conllu").write_text(f"{line}NER=B-PER|SpaceAfter=No\n{line}_\n")
    with pytest.raises(CorpusError, match=r"a\.conllu, line 2: the last column has no NER="):
        read_tagged(tmp_path / "a.conllu")


@pytest.mark.parametrize(
    ("name", "text", "target", "task", "sentence"),
    [
        ("a.csv", "text,label\na,b\n", "b.conllu", None, "no labels of texts; give jsonl"),
        ("a.tsv", "a\tB-X\nb\tO\n\na\tB-X\nb\tO\n", "b.csv", None, "do not fit into a row"),
        ("a.csv", "text,label\na,b\n", "b.txt", None, "the name does not say which format"),
        (
            "a.jsonl",
            '{"text": "Ada", "label": "x", "spans": [{"start": 0, "end": 3, "label": "P"}]}\n',
            "b.json",
            None,
            "labels of texts and entities",
        ),
        ("-", "", "b.json", None, "which standard input cannot be"),
    ],
)
def test_what_is_refused(
    name: str, text: str, target: str, task: Any, sentence: str, tmp_path: Path
) -> None:
    source = tmp_path / name if text else name
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(SettingError, match=sentence):
        convert_labels(source, tmp_path / target, task=task)
    assert not (tmp_path / target).exists()


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\na,b\n")
    with pytest.raises(OutputError, match="overwrite"):
        convert_labels(tmp_path / "a.csv", tmp_path / "a.csv")


@needs_spacy
@pytest.mark.slow
def test_a_damaged_docbin_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.spacy").write_bytes(b"no DocBin")
    with pytest.raises(CorpusError, match=r"a\.spacy is no whole DocBin of spaCy"):
        read_texts(tmp_path / "a.spacy")


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize("format", OF_SPANS)
@pytest.mark.parametrize("name", ["conll2003/eng.testb", "msra_ner/msra.test.txt.xz"])
def test_real_sentences_come_back_equal(
    name: str, format: TaskFormat, shared_data: Path, tmp_path: Path
) -> None:
    target = tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(shared_data / name, target, format)
    given, back = read_tagged(shared_data / name), read_tagged(target)
    assert made.misfits == ()
    assert _entities(back) == _entities(given)


@pytest.fixture(scope="module", params=TRAINED_ON, ids=[name for name, _ in TRAINED_ON])
def sampled(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[TaggedSentence]]:
    """Return the lines of every n-th sentence of a training set, and their rows."""
    name, step = request.param
    sentences = lzma.decompress((shared_data / name).read_bytes()).decode("utf-8").split("\n\n")
    assert len(sentences[::step]) > 500
    path = tmp_path_factory.mktemp("sampled") / "rows.txt"
    path.write_text("\n\n".join(sentences[::step]), "utf-8")
    return path, read_tagged(path)


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize("format", OF_SPANS)
def test_training_sets_come_back_equal(
    sampled: tuple[Path, list[TaggedSentence]], format: TaskFormat, tmp_path: Path
) -> None:
    source, given = sampled
    target = tmp_path / f"made{SUFFIXES[format]}"
    made = convert_labels(source, target, format)
    assert (made.rows, made.misfits) == (len(given), ())
    assert _entities(read_tagged(target)) == _entities(given)


@pytest.mark.parametrize(
    ("rows", "target", "sentence"),
    [
        ([{"tokens": ["a\tb"], "tags": ["O"]}], "b.tsv", "a token holds a tab or a line end"),
        ([{"tokens": ["a\rb"], "tags": ["O"]}], "b.conllu", "a token holds a tab or a line end"),
        ([{"tokens": ["a"], "tags": ["B-x|y"]}], "b.conllu", r"a tag holds '\|'"),
        ([{"text": "a", "label": []}], "b.csv", "it has no label, which an empty cell"),
        ([{"text": "a", "label": ["x | y", "z"]}], "b.csv", r"a label holds ' \| '"),
    ],
)
def test_rows_that_could_not_be_read_back_are_refused_with_their_place(
    rows: list[dict[str, Any]], target: str, sentence: str, tmp_path: Path
) -> None:
    key = "tags" if "tags" in rows[0] else "label"
    plain = {"tokens": ["c"], "tags": ["B-x"]} if key == "tags" else {"text": "c", "label": "z"}
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in (plain, *rows)))
    with pytest.raises(CorpusError, match=rf"rows\.jsonl:2: {sentence}"):
        convert_labels(source, tmp_path / target)
    assert not (tmp_path / target).exists()


@needs_spacy
@pytest.mark.slow
def test_parts_of_speech_are_no_entities_of_a_docbin(tmp_path: Path) -> None:
    import spacy

    (tmp_path / "a.tsv").write_text("the\tDET\nship\tNOUN\nsails\tVERB\n\n")
    convert_labels(tmp_path / "a.tsv", tmp_path / "a.spacy", task="tagging")
    found = spacy.tokens.DocBin().from_disk(tmp_path / "a.spacy")
    (document,) = found.get_docs(spacy.vocab.Vocab())
    assert [token.tag_ for token in document] == ["DET", "NOUN", "VERB"]
    assert [token.ent_type_ for token in document] == ["", "", ""]
    assert [row.tags for row in read_tagged(tmp_path / "a.spacy")] == [("DET", "NOUN", "VERB")]


def test_of_two_controls_the_user_names_one(tmp_path: Path) -> None:
    chosen = [{"from_name": name, "value": {"choices": [name.upper()]}} for name in ("a", "b")]
    task = {"data": {"text": "x", "label": "old"}, "annotations": [{"result": chosen}]}
    (tmp_path / "a.json").write_text(json.dumps([task]))
    with pytest.raises(CorpusError, match="label"):
        convert_labels(tmp_path / "a.json", tmp_path / "b.csv", task="classification")
    convert_labels(tmp_path / "a.json", tmp_path / "b.csv", rows={"label": "b"})
    assert (tmp_path / "b.csv").read_text() == "text,label\nx,B\n"


def test_a_table_of_labelled_rows_computes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"text": "=cmd|\' /C calc\'!A0", "label": "sea"}\n{"text": "a ship", "label": "-x"}\n'
    )
    convert_labels(tmp_path / "a.jsonl", tmp_path / "b.csv")
    _, *lines = (tmp_path / "b.csv").read_text().splitlines()
    assert [line[:2] for line in lines] == ["'=", "a "]
    assert [(row.text, *row.labels) for row in read_texts(tmp_path / "b.csv")] == [
        ("=cmd|' /C calc'!A0", "sea"),
        ("a ship", "-x"),
    ]


@needs_spacy
@pytest.mark.slow
def test_a_docbin_that_unpacks_to_very_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docbin, "LARGEST", 4 << 20)
    (tmp_path / "a.spacy").write_bytes(zlib.compress(bytes(5 << 20)))
    (tmp_path / "b.spacy").write_bytes(bytes(5 << 20))
    for name in ("a", "b"):
        with pytest.raises(CorpusError, match=rf"{name}\.spacy holds more than 4,194,304 bytes"):
            read_texts(tmp_path / f"{name}.spacy")


@pytest.mark.parametrize(
    ("text", "span", "is_unclear"),
    [
        ("😀😀 Ada and Bob", [5, 8, "PER"], True),  # units of UTF-16 that stand in the text, too
        ("Ada and Bob 😀😀", [0, 3, "PER"], False),  # both are the same
        ("Ada and Bob", [0, 3, "PER"], False),
    ],
)
def test_offsets_that_may_be_read_in_two_ways_are_told(
    text: str, span: list[Any], is_unclear: bool, tmp_path: Path
) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"text": text, "label": [span]}))
    made = convert_labels(source, tmp_path / "b.json")
    assert made.unclear == ((f"{source}:1",) if is_unclear else ())
    told = [each for each in find_tag_problems(read_tagged(source)) if "UTF-16" in each.sentence]
    assert len(told) == is_unclear
