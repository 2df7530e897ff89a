"""Files of inputs, in every form that a training reads, give the same texts."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.config import Config
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import (
    InputColumns,
    KeptInput,
    PairsConfig,
    ParallelConfig,
    QuestionsConfig,
    RowsConfig,
    SentencesConfig,
    TaggedConfig,
    input_files,
    question_inputs,
    tagged_inputs,
    text_inputs,
)

Reader = Callable[..., Iterator[KeptInput]]

ROWS = [("court", "ship near old"), ("sea", 'a "quoted" wave, and wind'), ("sea", "anchor")]
PAIR = ("text_a", "text_b")


def read(
    path: Path,
    config: Config,
    *,
    fields: Sequence[str] = ("text",),
    reader: Reader = text_inputs,
    **wanted: Any,
) -> list[KeptInput]:
    columns = InputColumns(fields, config, **wanted)
    files = input_files(path, columns.reading)
    return [each for file in files for each in reader(file, columns)]


def texts(*given: Any, **options: Any) -> list[str]:
    return [each.texts[0] for each in read(*given, **options)]


def csv_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows] if header else rows)
    return out.getvalue()


def tsv_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in ([header, *rows] if header else rows))


def jsonl_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)


FORMS = {
    "rows.csv": csv_of(["label", "text"], ROWS),
    "rows.tsv": tsv_of(["label", "text"], ROWS),
    "rows.jsonl": jsonl_of(["label", "text"], ROWS),
    "header.txt": tsv_of(["label", "text"], ROWS),
    "commas.txt": csv_of(["label", "text"], ROWS),
    "objects.txt": jsonl_of(["label", "text"], ROWS),
    "labels.txt": tsv_of([], ROWS),
    "fasttext.txt": "".join(f"__label__{label} {text}\n" for label, text in ROWS),
    "plain.txt": "".join(f"{text}\n" for _, text in ROWS),
    "turned.tsv": tsv_of(["text", "more", "label"], [(b, "x", a) for a, b in ROWS]),
}


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_rows_gives_the_same_texts(
    name: str, is_packed: bool, tmp_path: Path
) -> None:
    path = tmp_path / (f"{name}.gz" if is_packed else name)
    data = FORMS[name].encode()
    path.write_bytes(gzip.compress(data) if is_packed else data)
    found = texts(path, RowsConfig(), labels={"sea", "court", "land"})
    assert found == [text for _, text in ROWS]


@pytest.mark.parametrize("line", ["__label__{} {}\n", "__label__{} __label__other\t{}\n"])
def test_labels_of_fasttext_are_no_text_for_a_sentence_encoder(line: str, tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("".join(line.format(*row) for row in ROWS))
    found = texts(tmp_path / "rows.txt", SentencesConfig())
    assert found == [text for _, text in ROWS]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.bin", "rows.parquet.gz"])
def test_parquet_is_known_by_its_bytes(name: str, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    labels, given_texts = zip(*ROWS, strict=True)
    pq.write_table(pa.table({"label": labels, "body": given_texts, "id": [7, 8, 9]}), out)
    data = out.getvalue()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = read(tmp_path / name, RowsConfig(text="body"), keep=["id"])
    assert [(each.texts[0], each.kept["id"]) for each in found] == [
        (text, 7 + number) for number, (_, text) in enumerate(ROWS)
    ]


def test_columns_of_the_training_or_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('id,body,text\n7,"a ship, at sea",other\n8,a farm,more\n')
    learned = RowsConfig(text="body", label="topic")
    first, second = read(path, learned, keep=["id"])
    assert (first.texts, first.kept) == (("a ship, at sea",), {"id": "7"})
    assert second.texts == ("a farm",)
    # A header with the usual name, though the rows of the training had no header.
    assert texts(path, RowsConfig(text=2, label=1)) == ["other", "more"]
    assert texts(path, learned, columns={"text": "id"}) == ["7", "8"]
    path.write_text("id,content\n7,a ship\n")
    with pytest.raises(CorpusError, match=r"no column 'body' as in training.*\(--text COLUMN\)"):
        read(path, learned)
    assert texts(path, learned, columns={"text": "content"}) == ["a ship"]  # the advice works


def test_numbers_are_of_a_file_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("7\tsea\ta ship\n8\tland\ta farm\n")
    assert texts(path, RowsConfig(), columns={"text": 3}) == ["a ship", "a farm"]
    assert texts(path, RowsConfig(label=2, text=3)) == ["a ship", "a farm"]
    with pytest.raises(CorpusError, match=r"only '7', 'sea', 'a ship'.*by its number from 1"):
        read(path, RowsConfig())
    with pytest.raises(CorpusError, match="there is no column 4; the rows have 3"):
        read(path, RowsConfig(), columns={"text": 4})
    path.write_text("id\ttext\n7\ta ship\n")
    with pytest.raises(CorpusError, match=r"looks like one \('id', 'text'\).*--text text"):
        read(path, RowsConfig(), columns={"text": 2})
    assert texts(path, RowsConfig(), columns={"text": "text"}) == ["a ship"]


def test_plain_lines_stay_texts(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    lines = ["one\ttwo", "", "{no json", "three, four", "text", " \t ", "[1] a note"]
    path.write_text("".join(f"{line}\n" for line in lines))
    doubts: list[str] = []
    assert texts(path, RowsConfig(), doubt=doubts.append) == lines
    assert doubts == []
    path.write_text("one\ttwo\nthree\tfour\n")  # of two columns, which nobody knows
    assert texts(path, RowsConfig(), labels={"sea"}, doubt=doubts.append) == [
        "one\ttwo", "three\tfour",
    ]  # fmt: skip
    assert "all lines have 2 columns" in doubts[0]
    assert "--text 2" in doubts[0]
    assert texts(path, RowsConfig(), columns={"text": 2}) == ["two", "four"]
    assert texts(path, RowsConfig(), labels={"one"}) == ["two", "four"]


@pytest.mark.parametrize(
    "lines",
    [
        ["hello", "{not json}", '{"a": 1}'],
        ['{"a": 1}', "hello", "a farm"],
        ['{"a": 1} ', "hello"],
        ["__label__x is how labels are written", "hello", "a farm"],
        ["hello", "see __label__x"],
    ],
)
def test_few_lines_of_another_form_are_texts(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    assert texts(path, RowsConfig()) == lines


def test_most_lines_say_what_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text('{"text": "a"}\n{"txt": "b"}\nc\n')
    with pytest.raises(CorpusError, match=r"texts.txt, line 2: there is no column 'text'"):
        texts(path, RowsConfig())
    path.write_text('a\n{"text": "b"}\n{"txt": "c"}\n')
    with pytest.raises(CorpusError, match=r"texts.txt, line 3: the JSON object has no text 'text'"):
        texts(path, RowsConfig())
    path.write_text('a\nb\n{"text": "c"}\n{"text": "\\ud83d"}\n')
    with pytest.raises(CorpusError, match=r"texts.txt, line 4: 'text' holds half of a surrogate"):
        texts(path, RowsConfig())


@given(st.lists(st.text(st.characters(exclude_characters="\0\n\r\t", codec="utf-8")), min_size=2))
def test_lines_without_tabs_are_never_a_table(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    lines = ["first", *lines]
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    assert texts(path, RowsConfig(normalization="none")) == lines


PAIRS = [("a ship", "a boat", "same"), ("a farm", "a boat", "other")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("two.txt", tsv_of([], [row[:2] for row in PAIRS])),
        ("three.txt", tsv_of([], PAIRS)),
        ("two.tsv", tsv_of([], [row[:2] for row in PAIRS])),
        ("header.tsv", tsv_of(["text_a", "text_b", "label"], PAIRS)),
        ("turned.tsv", tsv_of(["label", "text_b", "text_a"], [row[::-1] for row in PAIRS])),
        ("rows.csv", csv_of(["text_a", "text_b", "label"], PAIRS)),
        ("rows.jsonl", jsonl_of(["text_a", "text_b", "label"], PAIRS)),
    ],
)
def test_pairs(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    found = read(path, PairsConfig(), fields=PAIR, labels={"same", "other"})
    assert [each.texts for each in found] == [row[:2] for row in PAIRS]


def test_pairs_by_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"s1": "a", "s2": "b", "n": 3}\n')
    pairs = PairsConfig(text_a="s1", text_b="s2", score="gold")
    assert read(path, pairs, fields=PAIR, keep=["n"]) == [(("a", "b"), {"n": 3})]
    path = tmp_path / "rows.txt"
    path.write_text("1\ta\tb\n0\tc\td\n")
    numbered = {"text_a": 2, "text_b": 3}
    found = read(path, PairsConfig(), fields=PAIR, columns=numbered)
    assert [each.texts for each in found] == [("a", "b"), ("c", "d")]
    # Two texts a line have no label, whatever the columns of the training were.
    learned = PairsConfig(text_a=2, text_b=3, label=1)
    path.write_text("a\tb\nc\td\n")
    assert [each.texts for each in read(path, learned, fields=PAIR)] == [("a", "b"), ("c", "d")]
    path.write_text("a\tb\tc\td\n")
    with pytest.raises(CorpusError, match="line 1: 4 fields where text_a<TAB>text_b are expected"):
        read(path, PairsConfig(), fields=PAIR)
    with pytest.raises(SettingError, match="give --text-b, too"):
        read(path, PairsConfig(), fields=PAIR, columns={"text_a": 1})


def test_sources_without_their_targets(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("das Schiff\tthe ship\ndas Meer\tthe sea\n")
    found = texts(path, ParallelConfig(), fields=("source",))
    assert found == ["das Schiff", "das Meer"]
    path.write_text("das Schiff\ndas Meer\n")
    assert texts(path, ParallelConfig(), fields=("source",)) == found
    named = tmp_path / "rows.csv"
    named.write_text("en,de\nthe ship,das Schiff\nthe sea,das Meer\n")
    assert texts(named, ParallelConfig(source="de", target="en"), fields=("source",)) == found
    assert texts(named, ParallelConfig(), fields=("source",), columns={"source": "de"}) == found


SENTENCES = [["Anna", "van", "Keller", "lives"], ["John", "sails"]]
TAGS = [["B-PER", "I-PER", "I-PER", "O"], ["B-PER", "O"]]


def conll(separator: str = " ", *, between: str = "", sentences: int = 2) -> str:
    blocks = [
        "".join(f"{token}{separator}{between}{tag}\n" for token, tag in zip(*both, strict=True))
        for both in zip(SENTENCES[:sentences], TAGS[:sentences], strict=True)
    ]
    return "\n".join(blocks)


TOKEN_FORMS = {
    "rows.conll": conll(),
    "tabs.txt": conll("\t"),
    "three.txt": f"-DOCSTART- -X- O\n\n{conll(between='NN ')}",
    "rows.jsonl": jsonl_of(["tokens", "tags"], list(zip(SENTENCES, TAGS, strict=True))),  # type: ignore[arg-type]
    "bare.conll": "\n".join("".join(f"{token}\n" for token in each) for each in SENTENCES),
}


@pytest.mark.parametrize("name", TOKEN_FORMS)
def test_a_sentence_of_tokens_is_one_input(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TOKEN_FORMS[name])
    found = read(path, TaggedConfig(), reader=tagged_inputs, labels={"O", "B-PER", "I-PER"})
    assert [each.texts for each in found] == [(" ".join(own), *own) for own in SENTENCES]


def test_one_sentence_alone_is_known_by_the_tags_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "q.txt"
    path.write_text(conll(sentences=1))
    (found,) = read(path, TaggedConfig(), reader=tagged_inputs, labels={"O", "B-PER", "I-PER"})
    assert found.texts[1:] == tuple(SENTENCES[0])
    path.write_text("Anna lives\nJohn sails\n")  # two words a line, and none is a tag
    plain = read(path, TaggedConfig(), reader=tagged_inputs, labels={"O", "B-PER", "I-PER"})
    assert [each.texts for each in plain] == [("Anna lives",), ("John sails",)]
    named = read(path, TaggedConfig(), reader=tagged_inputs, columns={"token": 2})
    assert [each.texts for each in named] == [("lives sails", "lives", "sails")]


def test_texts_of_a_table_for_a_tagger(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,body\n1,Anna lives\n")
    (found,) = read(
        path, TaggedConfig(), reader=tagged_inputs, columns={"text": "body"}, keep=["id"]
    )
    assert found == (("Anna lives",), {"id": "1"})
    path = tmp_path / "rows.jsonl"
    path.write_text('{"tokens": ["a", 1]}\n')
    with pytest.raises(CorpusError, match="'tokens' holds no list of texts"):
        read(path, TaggedConfig(), reader=tagged_inputs)


QUESTION = ("what sails?", "the ship sails")
OF_QUESTIONS = {
    "squad.json": json.dumps(
        {"data": [{"paragraphs": [{"context": QUESTION[1], "qas": [
            {"id": "q1", "question": QUESTION[0]}]}]}]}
    ),
    "pretty.json": json.dumps(
        {"data": [{"paragraphs": [{"context": QUESTION[1], "qas": [
            {"id": "q1", "question": QUESTION[0], "answers": []}]}]}]}, indent=1
    ),
    "cmrc.json": json.dumps(
        [{"context_text": QUESTION[1], "qas": [{"query_id": "q1", "query_text": QUESTION[0]}]}]
    ),
    "flat.jsonl": json.dumps({"id": "q1", "question": QUESTION[0], "context": QUESTION[1]}),
    "rows.csv": f"id,question,context\nq1,{QUESTION[0]},{QUESTION[1]}\n",
}  # fmt: skip


@pytest.mark.parametrize("name", OF_QUESTIONS)
def test_questions_need_no_answers(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(OF_QUESTIONS[name])
    (found,) = read(
        path,
        QuestionsConfig(),
        fields=("question", "context"),
        reader=question_inputs,
        keep=["id"],
    )
    assert found == (QUESTION, {"id": "q1"})


def test_a_question_and_its_passage_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("\t".join(QUESTION) + "\n")
    options: dict[str, Any] = {"fields": ("question", "context"), "reader": question_inputs}
    assert [each.texts for each in read(path, QuestionsConfig(), **options)] == [QUESTION]
    path = tmp_path / "squad.json"
    path.write_text(OF_QUESTIONS["squad.json"])
    with pytest.raises(CorpusError, match=r"there is no 'idd' to keep.*'id'"):
        read(path, QuestionsConfig(), keep=["idd"], **options)


def test_columns_that_cannot_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,text\n7,a ship\n")
    with pytest.raises(CorpusError, match=r"line 2: there is no column 'autor' to keep, only 'id'"):
        read(path, RowsConfig(), keep=["autor"])
    with pytest.raises(SettingError, match="--keep text: the answers contain this text already"):
        read(path, RowsConfig(), keep=["text"])
    path = tmp_path / "plain.txt"
    path.write_text("a ship\n")
    with pytest.raises(SettingError, match="--keep copies columns of a table"):
        read(path, RowsConfig(), keep=["id"])
    path.write_text("7\tsea\ta ship\n8\tland\ta farm\n")
    found = read(path, RowsConfig(), columns={"text": 3}, keep=["1"])
    assert [each.kept for each in found] == [{"1": "7"}, {"1": "8"}]


def test_texts_of_a_sentence_encoder(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,body\n7,a ship\n")
    assert texts(path, SentencesConfig(text="body")) == ["a ship"]
    path = tmp_path / "rows.txt"
    path.write_text("a ship\na boat\n")
    assert texts(path, SentencesConfig()) == ["a ship", "a boat"]
