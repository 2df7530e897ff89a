"""Documents with their places, and shards that depend on the text alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foretext.cleaning.documents import documents, shards
from foretext.corpus import Corpus, CorpusConfig


def _read(corpus: Corpus) -> list[tuple[str, int, int]]:
    return [tuple(document) for document, _ in documents(corpus)]


def test_places(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("one\ntwo\n\n\nthree\n")
    rows = tmp_path / "b.jsonl"
    rows.write_text('{"text": "x\\n\\ny"}\n{"text": ""}\n{"text": "z"}\n')
    lines = CorpusConfig(documents="blank_line")
    assert _read(Corpus([text, rows], lines)) == [
        ("one\ntwo", 0, 1),
        ("three", 0, 5),
        ("x\ny", 1, 1),
        ("z", 1, 3),
    ]
    assert [place[2] for place in _read(Corpus(text, CorpusConfig(documents="line")))] == [1, 2, 5]


def test_the_documents_are_those_of_the_corpus(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(
        gzip.compress("".join(f"line {i}\n\n" * (1 + i % 3) for i in range(99)).encode())
    )
    for ends in ("line", "blank_line", "blank_lines", "file"):
        corpus = Corpus(path, CorpusConfig(documents=ends))
        assert [text for text, _, _ in _read(corpus)] == list(corpus)


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before\n" + "x" * (5 << 20) + "\nafter\n")
    found = _read(Corpus(path, CorpusConfig(documents="line")))
    assert found[0] == ("before", 0, 1)
    assert found[-1] == ("after", 0, 3)
    assert {line for _, _, line in found[1:-1]} == {2}
    assert max(len(text) for text, _, _ in found) <= 1 << 20
    assert sum(len(text) for text, _, _ in found[1:-1]) == 5 << 20


@pytest.mark.slow
def test_a_long_row_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "' + "x" * (3 << 20) + "\\n" + "y\\n" * (1 << 20) + '"}\n')
    found = _read(Corpus(path))
    assert {line for _, _, line in found} == {1}
    assert max(len(text) for text, _, _ in found) <= (1 << 20) + 1


def test_shards(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {i:04}\n" for i in range(100)))
    corpus = Corpus(path, CorpusConfig(documents="line"))
    found = list(shards(corpus, 95))
    assert [shard.number for shard in found] == list(range(10))
    assert {len(shard.documents) for shard in found} == {11, 1} or all(
        len(shard.documents) == 11 for shard in found[:-1]
    )
    assert [each for shard in found for each in shard.documents] == [
        document for document, _ in documents(corpus)
    ]
    assert sum(shard.num_bytes for shard in found) == path.stat().st_size
