from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest

from foretext.base.errors import SettingError
from foretext.corpus.text_tokens import TextToken, joined_tokens
from foretext.data.rows import read_pairs, read_tagged, read_texts
from foretext.data.rows.label import Label, LabelValue, ordered_labels
from foretext.data.rows.label_formats import (
    LABEL_FORMATS,
    LabelTask,
    TaskFormat,
    task_format,
    write_tasks,
)
from foretext.data.rows.sheet_cells import SHEET_COLUMNS
from foretext.data.rows.spans import aligned_tokens
from foretext.metrics import detect_notation, entity_spans

TEXTS = {
    "a ship": "sea",
    "=SUM(A1:A9) + tax": "law",
    "+49 30 1234": "sea",
    "'=quoted": "law",
    "''-2": "law",
    '@home, she said "no"': "sea",
    "'tis the season": "law",
    "one\nline\nmore": "sea",
    "漢字 and 😀": "law",
    "- a list": "sea",
}


def exported(path: Path, format: str, *, flat: bool = False) -> Path:
    """What the program would export, had somebody accepted every answer of the model."""
    if format == "label-studio":
        out = path.with_suffix(".export.json")
        out.write_text(
            json.dumps([_label_studio(each, flat) for each in json.loads(path.read_text("utf-8"))])
        )
        return out
    if format in ("doccano", "prodigy"):
        more = (
            {"id": 1, "Comments": []}
            if format == "doccano"
            else {"answer": "accept", "_task_hash": 3}
        )
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        out = path.with_suffix(".export.jsonl")
        out.write_text("".join(json.dumps({**line, **more}) + "\n" for line in lines))
        return out
    if format == "jsonl":
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        out = path.with_suffix(".export.jsonl")
        filled = ({**line, _empty(line): line["suggested"]} for line in lines)
        out.write_text("".join(json.dumps(line) + "\n" for line in filled))
        return out
    return path


def _empty(line: dict[str, Any]) -> str:
    """Return the name of what a person fills in."""
    return next(name for name in ("label", "tags", "spans") if name in line)


def _label_studio(task: dict[str, Any], flat: bool) -> dict[str, Any]:
    result = task["predictions"][0]["result"]
    if not flat:
        return {"id": 9, "annotations": [{"result": result, "was_cancelled": False}], **task}
    more: dict[str, Any] = {"annotation_id": 1, "annotator": 2}
    values = [each["value"] for each in result]
    if any("choices" in value for value in values):
        more["label"] = values[0]["choices"][0]
    elif values:
        more["label"] = values
    return {**task["data"], **more}


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("format", ["label-studio", "doccano", "prodigy"])
def test_texts_come_back_equal(format: TaskFormat, flat: bool, tmp_path: Path) -> None:
    tasks = [
        LabelTask({"text": text}, 0.5, "unsure", (label,), 0.7, choices=("law", "sea"))
        for text, label in TEXTS.items()
    ]
    write_tasks(tasks, tmp_path / "a.txt", format)
    rows = read_texts(exported(tmp_path / "a.txt", format, flat=flat))
    assert [(row.text, row.labels) for row in rows] == [(t, (label,)) for t, label in TEXTS.items()]


@pytest.mark.parametrize("values", [(1, 2, 3), (True, False)])
@pytest.mark.parametrize("format", ["label-studio", "doccano", "prodigy"])
def test_numbers_and_booleans_come_back_as_texts_of_the_same_labels(
    format: TaskFormat, values: tuple[LabelValue, ...], tmp_path: Path
) -> None:
    tasks = [LabelTask({"text": f"text {n}"}, labels=(n,), choices=values) for n in values]
    write_tasks(tasks, tmp_path / "a.txt", format)
    rows = read_texts(exported(tmp_path / "a.txt", format))
    found = [Label.read(label) for row in rows for label in row.labels]
    assert [label.value for label in found] == list(map(str, values))
    assert found == list(map(Label, values))
    older = list(map(Label, values))
    together = [label.value for label in ordered_labels([*older, *found])]
    assert together == sorted(values)
    texts = [label.value for label in ordered_labels([*older, *found, Label("new")])]
    assert texts == sorted([*map(str, values), "new"])


def test_a_spreadsheet_computes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    write_tasks(
        [LabelTask({"text": text}, labels=("=x",)) for text in TEXTS], tmp_path / "a.csv", "csv"
    )
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["text", *SHEET_COLUMNS]
    cells = [cell for row in table for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]
    with (tmp_path / "b.csv").open("w", encoding="utf-8", newline="") as file:
        filled = csv.DictWriter(file, list(table[0]))  # as a spreadsheet saves it
        filled.writeheader()
        filled.writerows(
            {**row, "label": label} for row, label in zip(table, TEXTS.values(), strict=True)
        )
    rows = read_texts(tmp_path / "b.csv")
    assert [(row.text, row.labels) for row in rows] == [(t, (label,)) for t, label in TEXTS.items()]


def test_other_tables_keep_their_apostrophes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\n'=1,'-x\n")
    (row,) = read_texts(tmp_path / "a.csv")
    assert (row.text, row.labels) == ("'=1", ("'-x",))


@pytest.mark.parametrize("format", ["csv", "jsonl", "label-studio", "doccano", "prodigy"])
def test_pairs_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    pairs = [("a ship", "=a boat", "same"), ("one\ntwo", "three", "other")]
    tasks = [
        LabelTask({"text_a": a, "text_b": b}, 0.5, "why", (label,), 0.9) for a, b, label in pairs
    ]
    path = tmp_path / f"a{'.csv' if format == 'csv' else '.jsonl'}"
    write_tasks(tasks, path, format)
    text = path.read_text("utf-8")
    if format == "csv":
        text = text.replace(",,same", ",same,same").replace(",,other", ",other,other")
    path.write_text(text, "utf-8")
    rows = read_pairs(exported(path, format))
    assert [(row.text_a, row.text_b, *row.labels) for row in rows] == pairs


SENTENCES = [
    (("U.N.", "official", "Rolf", "Ekeus", "heads", "for", "Baghdad", "."),
     ("B-ORG", "O", "B-PER", "I-PER", "O", "O", "B-LOC", "O")),
    (("😀", "Ada's", "don't", "(", "x", ")"), ("O", "B-PER", "O", "O", "O", "O")),
    (("-DOCS-", "=1", "'s"), ("O", "O", "O")),
    (("Bo", "Li", "Ada"), ("B-PER", "I-PER", "B-PER")),
]  # fmt: skip
CHINESE = [
    (tuple("在香港、澳門3號A座"), ("O", "B-LOC", "I-LOC", "O", "B-LOC", "I-LOC", *"OOOO")),
    (tuple("李明😀"), ("B-PER", "I-PER", "O")),
]


def _task(tokens: tuple[str, ...], tags: tuple[str, ...], *, blanks: bool) -> LabelTask:
    if blanks:
        text, placed = " ".join(tokens), joined_tokens(tokens)
    else:
        text = "".join(tokens)
        found = aligned_tokens(text, tokens)
        assert found is not None
        placed = found
    spans = [
        (placed[span.start].start, placed[span.end - 1].end, span.label)
        for span in entity_spans(tags)
    ]
    return LabelTask({"text": text}, tokens=placed, spans=spans, tags=tags)


def _back(
    sentences: list[tuple[tuple[str, ...], tuple[str, ...]]],
    format: TaskFormat,
    path: Path,
    *,
    blanks: bool = True,
    flat: bool = False,
) -> None:
    """Write sentences, read what is exported, and compare every token and tag."""
    tasks = [_task(*sentence, blanks=blanks) for sentence in sentences]
    write_tasks(tasks, path, format)
    rows = read_tagged(exported(path, format, flat=flat))
    assert [(row.tokens, row.tags) for row in rows] == sentences
    assert not [row for row in rows if row.misfits]


FORMATS = ["label-studio", "doccano", "prodigy", "jsonl", "tsv"]


@pytest.mark.parametrize("format", FORMATS)
def test_sentences_come_back_equal(format: TaskFormat, tmp_path: Path) -> None:
    suffix = ".tsv" if format == "tsv" else ".jsonl"
    _back(SENTENCES, format, tmp_path / f"a{suffix}")
    _back(CHINESE, format, tmp_path / f"b{suffix}", blanks=False)
    _back(CHINESE, format, tmp_path / f"c{suffix}", flat=format == "label-studio")


@pytest.mark.shared_data
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["conll2003/eng.testa", "msra_ner/msra.test.txt.xz"])
def test_real_sentences_come_back_equal(
    name: str, format: TaskFormat, shared_data: Path, tmp_path: Path
) -> None:
    given = list(islice(read_tagged(shared_data / name), 2000))
    notation = detect_notation(row.tags for row in given)
    assert notation is not None
    sentences = [
        (row.tokens, tuple(_iob2(notation.read(row.tags), len(row.tokens)))) for row in given
    ]
    suffix = ".tsv" if format == "tsv" else ".jsonl"
    _back(sentences, format, tmp_path / f"a{suffix}", blanks="conll" in name)


def _iob2(tags: list[str], number: int) -> list[str]:
    from foretext.metrics import spans_to_tags

    return spans_to_tags(entity_spans(tags), number, "IOB2")


def test_tasks_of_prodigy_have_tokens_with_places(tmp_path: Path) -> None:
    tokens = (TextToken("Bo", 0, 2), TextToken("Li", 3, 5), TextToken(".", 5, 6))
    task = LabelTask({"text": "Bo Li."}, tokens=tokens, spans=[(0, 5, "PER")])
    write_tasks([task], tmp_path / "a.jsonl", "prodigy")
    made = json.loads((tmp_path / "a.jsonl").read_text())
    assert [(each["id"], each["ws"]) for each in made["tokens"]] == [
        (0, True),
        (1, False),
        (2, False),
    ]
    assert made["spans"] == [
        {"start": 0, "end": 5, "label": "PER", "token_start": 0, "token_end": 1}
    ]


def test_an_empty_array_is_written_where_there_is_no_task(tmp_path: Path) -> None:
    write_tasks([], tmp_path / "a.json", "label-studio")
    assert json.loads((tmp_path / "a.json").read_text()) == []


@pytest.mark.parametrize(
    ("name", "chosen", "tagged", "found"),
    [
        ("a.csv", None, False, "csv"),
        ("a.json", None, True, "label-studio"),
        ("a.JSONL", None, True, "jsonl"),
        ("a.jsonl", "prodigy", True, "prodigy"),
        ("a.tsv", None, True, "tsv"),
    ],
)
def test_the_format_of_a_name(
    name: str, chosen: TaskFormat | None, tagged: bool, found: str
) -> None:
    assert task_format(Path(name), chosen, tagged=tagged) == found


@pytest.mark.parametrize(
    ("name", "tagged", "sentence"),
    [
        ("a.txt", False, "the name does not say which format is meant; give --format"),
        ("a.csv", True, "do not fit into a row of a table; give tsv"),
        ("a.tsv", False, "which .tsv cannot have; give csv"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(name: str, tagged: bool, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        task_format(Path(name), None, tagged=tagged)


@pytest.mark.parametrize("tagged", [False, True])
def test_formats_that_are_offered_are_those_that_fit(tagged: bool) -> None:
    with pytest.raises(SettingError) as error:
        task_format(Path("a.txt"), None, tagged=tagged)
    formats, suffixes = str(error.value).rstrip(".").split("--format ")[1].split(", or a file that")
    offered = [cast(TaskFormat, each) for each in formats.split(", ")]
    holding = "spans" if tagged else "texts"
    assert offered == [name for name, each in LABEL_FORMATS.items() if holding in each.holds]
    for suffix in suffixes.removeprefix(" ends with ").split(", "):
        assert task_format(Path(f"a{suffix}"), None, tagged=tagged) in offered
