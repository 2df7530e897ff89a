"""Rows that sentence vectors learn from, in every form that people have them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import SentenceRow, SentencesConfig, read_sentences, sentence_lines
from foretext.data.rows.in_memory import row_source

Values = tuple[str, str | None, str | None, float | None]


def values(rows: list[SentenceRow]) -> list[Values]:
    return [row[:4] for row in rows]


FILES: list[tuple[str, str, Values]] = [
    ("a.txt", "one text\n\nand another\n", ("one text", None, None, None)),
    ("a.csv", 'text\n"one, text"\n', ("one, text", None, None, None)),
    ("a.jsonl", '{"sentence": "one"}\n', ("one", None, None, None)),
    ("a.txt", "an anchor\ta positive\n", ("an anchor", "a positive", None, None)),
    ("a.txt", "anchor\tpositive\na\tb\n", ("a", "b", None, None)),
    ("a.tsv", "query\tpassage\na\tb\n", ("a", "b", None, None)),
    ("a.csv", "sentence1,sentence2\na,b\n", ("a", "b", None, None)),
    ("a.jsonl", '{"question": "a", "answer": "b"}\n', ("a", "b", None, None)),
    ("a.txt", "a\tb\tc\n", ("a", "b", "c", None)),
    ("a.jsonl", '{"anchor": "a", "positive": "b", "negative": "c"}\n', ("a", "b", "c", None)),
    ("a.txt", "a\tb\t0.5\n", ("a", "b", None, 0.5)),
    ("a.txt", "__label__sea a ship\n__label__land a farm\n", ("a ship", None, None, None)),
    ("a.txt", "__label__sea __label__port\ta ship\n", ("a ship", None, None, None)),
    ("a.txt", "__label__x is a prefix\na ship\na farm\n", ("__label__x is a prefix", *[None] * 3)),
    ("a", "\n__label__1 ein Schiff\n", ("ein Schiff", None, None, None)),
    ("a.csv", "Sentence_A,Sentence_B,Score\na,b,4\n", ("a", "b", None, 4.0)),
]


@pytest.mark.parametrize(("name", "text", "expected"), FILES)
def test_columns_are_found(tmp_path: Path, name: str, text: str, expected: Values) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert values(read_sentences(tmp_path / name))[0] == expected


LABELLED = "".join(f"{('sea', 'land')[n % 2]}\ta text of words, number {n}\n" for n in range(40))
NUMBERED = "".join(f"Überschrift Nummer {n}\t{n % 3}\n" for n in range(30))


@pytest.mark.parametrize(("text", "label", "right"), [(LABELLED, 1, 2), (NUMBERED, 2, 1)])
def test_a_column_of_labels_is_no_text(tmp_path: Path, text: str, label: int, right: int) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    wrong = (
        rf"a\.txt: column {label} holds only [23] different values in [34]0 rows .*--text {right}\)"
    )
    with pytest.raises(CorpusError, match=wrong):
        read_sentences(tmp_path / "a.txt")
    alone = read_sentences(tmp_path / "a.txt", SentencesConfig(text=right))
    assert {row.kind for row in alone} == {"texts"}
    assert len({row.text_a for row in alone}) == len(alone)
    pairs = read_sentences(tmp_path / "a.txt", SentencesConfig(text_a=1, text_b=2))
    assert {row.kind for row in pairs} == {"pairs"}


def test_queries_with_several_passages_are_pairs(tmp_path: Path) -> None:
    lines = (f"question {n % 8}\tanswer {n} with more words than it\n" for n in range(40))
    (tmp_path / "a.txt").write_text("".join(lines), encoding="utf-8")
    assert read_sentences(tmp_path / "a.txt")[9].text_a == "question 1"


def test_columns_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("1\tx y\tz\n0\tu\tv\n", encoding="utf-8")
    config = SentencesConfig(text_a=2, text_b=3, score=1)
    rows = read_sentences(tmp_path / "a.tsv", config)
    assert values(rows) == [("x y", "z", None, 1.0), ("u", "v", None, 0.0)]
    assert rows[1].place.endswith("a.tsv:2")
    assert [row.kind for row in rows] == ["scores", "scores"]


MEMORY: list[tuple[Any, Values]] = [
    (["a text", "another"], ("a text", None, None, None)),
    ([("a", "b")], ("a", "b", None, None)),
    ((["a", "c"], ["b", "d"]), ("a", "b", None, None)),
    ([("a", "b", "c")], ("a", "b", "c", None)),
    ([("a", "b", 1)], ("a", "b", None, 1.0)),
    ([{"query": "a", "positive": "b"}], ("a", "b", None, None)),
    (iter(["a"]), ("a", None, None, None)),
]


@pytest.mark.parametrize(("given", "expected"), MEMORY, ids=range(len(MEMORY)))
def test_rows_in_memory(given: Any, expected: Values) -> None:
    assert values(read_sentences(row_source(given, sentence_lines)))[0] == expected


REFUSED = [
    ("a.txt", "a\tb\tc\td\n", "4 fields where a text, or two or three texts, are expected"),
    ("a.csv", "x,y\na,b\n", "no column has a name that is known, only 'x', 'y'"),
    ("a.csv", "text_a,text_b\na, \n", "line 2: 'text_b' is empty"),
    ("a.txt", "__label__x a\nb\n", "line 2: no word begins with '__label__', as in other rows"),
    ("a.txt", "__label__x\n__label__x a\n", "line 1: 'text' is empty"),
    ("a.txt", "a\tb\t0.5\nc\td\te\n", "line 2: '3' holds 'e' where a finite number"),
    ("a.csv", "text_a,text_b,label\na,b,1\n", "the column 'label' may say which pairs belong"),
    ("a.jsonl", "", "no rows"),
]


@pytest.mark.parametrize(("name", "text", "cause"), REFUSED)
def test_what_is_no_row(tmp_path: Path, name: str, text: str, cause: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=cause):
        read_sentences(tmp_path / name)


def test_rows_of_one_run_are_of_one_kind(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\tb\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("a text\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"b.txt:1: the row is one of texts, and those before"):
        read_sentences(tmp_path)


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"text": "a", "text_b": "b"}, "text names texts that stand alone"),
        ({"text_a": "a"}, "pairs have two columns"),
        ({"score": "a"}, "negative and score belong to pairs"),
        ({"text_a": "a", "text_b": "b", "negative": "c", "score": "d"}, "a negative or a score"),
        ({"format": "fasttext"}, "files of format = 'fasttext' hold labels, too"),
    ],
)
def test_columns_that_do_not_go_together(settings: dict[str, Any], cause: str) -> None:
    with pytest.raises(SettingError, match=cause):
        SentencesConfig.checked(settings, "rows")
