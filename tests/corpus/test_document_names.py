"""Names of documents: numbers, or a column."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus
from foretext.corpus.document_names import document_names
from foretext.corpus.documents import LONGEST_DOCUMENT


def write_rows(path: Path, rows: list[tuple[str, str]]) -> Corpus:
    lines = [json.dumps({"id": name, "text": text}) for name, text in rows]
    path.write_text("\n".join(lines) + "\n")
    return Corpus(path)


def test_numbers_count_from_zero(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "a.jsonl", [("x", "one")])
    assert list(islice(document_names(corpus, None), 3)) == ["0", "1", "2"]


def test_a_column_names_each_document(tmp_path: Path) -> None:
    rows = [("a", "one"), ("b", "two\n\nlines"), ("c", "  "), ("", ""), ("d  e", "three")]
    corpus = write_rows(tmp_path / "a.jsonl", rows)
    names = list(document_names(corpus, "id"))
    assert names == ["a", "b", "d e"]
    assert len(names) == len(list(corpus))


def test_columns_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('text,key\n"one, two",k1\nthree,k2\n')
    assert list(document_names(Corpus(tmp_path / "a.csv"), "key")) == ["k1", "k2"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "one"), ("a", "two")], "'a' stands twice in the column 'id'"),
        ([("a", "one"), (" ", "two")], "row 2: the column 'id' is empty"),
        ([("a", "word\n" * (LONGEST_DOCUMENT // 4))], "row 1: 'a' has .* and would be cut"),
    ],
)
def test_names_that_cannot_be_used(tmp_path: Path, rows: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        list(document_names(write_rows(tmp_path / "a.jsonl", rows), "id"))


def test_plain_text_and_a_missing_column(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(CorpusError, match="plain text has no column 'id'"):
        list(document_names(Corpus(tmp_path / "a.txt"), "id"))
    with pytest.raises(CorpusError, match="there is no column 'key'"):
        list(document_names(write_rows(tmp_path / "a.jsonl", [("a", "one")]), "key"))
