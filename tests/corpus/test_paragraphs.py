"""Paragraphs with their places: the text at the place is the text that was said to be there."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.paragraphs import Paragraph, paragraphs

TEXT = "one\n  two two\n\nthree\n\n\nfour\r\nfive"


def _read(path: Path, **settings: str) -> list[Paragraph]:
    corpus = Corpus(path, CorpusConfig(**{"lines": "whole", "documents": "line", **settings}))
    return [paragraph for paragraph, _ in paragraphs(corpus.sources[0], corpus.resolved)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_lines_have_their_places(text: Path) -> None:
    found = _read(text)
    assert [each.text for each in found] == ["one", "two two", "three", "four", "five"]
    assert [each.line for each in found] == [1, 2, 4, 7, 8]
    assert all(TEXT[each.start :].startswith(each.text) for each in found)


@pytest.mark.parametrize(
    ("documents", "begins"),
    [
        ("line", "1 1 1 1 1"),
        ("blank_line", "1 0 1 1 0"),
        ("blank_lines", "1 0 0 1 0"),
        ("file", "1 0 0 0 0"),
    ],
)
def test_where_documents_begin(text: Path, documents: str, begins: str) -> None:
    found = _read(text, documents=documents)
    assert " ".join(str(int(each.begins)) for each in found) == begins


def test_wrapped_lines_are_one_paragraph(text: Path) -> None:
    found = _read(text, lines="wrapped", documents="file")
    assert [each.text for each in found] == ["one   two two", "three", "four  five"]
    assert [each.line for each in found] == [1, 4, 7]
    assert [found[0].line_of(at) for at in (0, 3, 4, 12)] == [1, 1, 2, 2]
    assert [each.begins for each in _read(text, lines="wrapped")] == [True, True, True]


def test_gzip_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + TEXT.encode()))
    assert [each.start for each in _read(path)] == [0, 6, 15, 23, 29]


def test_rows_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = ["a\n\n b", None, "c"]
    path.write_text("".join(json.dumps({"body": row}) + "\n" for row in rows))
    found = _read(path, column="body", documents="auto")
    assert found == [
        Paragraph("a", 0, 1, True), Paragraph("b", 4, 1, False), Paragraph("c", 0, 3, True),
    ]  # fmt: skip


def test_a_line_without_end_comes_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * (LONGEST_LINE + 5) + "\nend")
    found = _read(path)
    assert [len(each.text) for each in found] == [LONGEST_LINE, 5, 3]
    assert [(each.start, each.line) for each in found] == [
        (0, 1), (LONGEST_LINE, 1), (LONGEST_LINE + 6, 2),
    ]  # fmt: skip
