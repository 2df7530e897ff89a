from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.cleaning.texts_of_files import file_texts
from foretext.corpus.sources import find_sources


def texts(path: Path, content: str | bytes) -> list[tuple[str, str]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [*file_texts(find_sources(path)[0])]


def test_every_field_of_a_table_is_a_text(tmp_path: Path) -> None:
    found = texts(tmp_path / "test.csv", 'label,text\nsea,"a ship,\na boat"\nland,a field\n')
    assert found == [
        ("line 2", "sea"),
        ("line 2", "a ship,\na boat"),
        ("line 4", "land"),
        ("line 4", "a field"),
    ]


@pytest.mark.parametrize("name", ["test.tsv", "test.txt", "test"])
def test_rows_separated_by_tabs_need_no_header(tmp_path: Path, name: str) -> None:
    found = texts(tmp_path / name, 'sea\ta "ship\n\nland\ta field\n')
    assert [each for each in found if each[1]] == [
        ("line 1", "sea"),
        ("line 1", 'a "ship'),
        ("line 3", "land"),
        ("line 3", "a field"),
    ]


@pytest.mark.parametrize("name", ["test.jsonl", "test.json", "test"])
def test_every_string_of_an_object_a_line_is_a_text(tmp_path: Path, name: str) -> None:
    rows = [{"a": "x", "b": ["y", {"c": "z", "d": 1}]}, {"a": None}, {"a": "w"}]
    content = "\n".join(json.dumps(row) for row in rows)
    expected = [("line 1", "x"), ("line 1", "y"), ("line 1", "z"), ("line 3", "w")]
    assert texts(tmp_path / name, content) == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_is_read_as_a_whole(tmp_path: Path, indent: int | None) -> None:
    squad = {"data": [{"title": "T", "paragraphs": [{"context": "C", "qas": [{"question": "Q"}]}]}]}
    found = texts(tmp_path / "dev.json", json.dumps(squad, indent=indent))
    assert found == [("string 1", "T"), ("string 2", "C"), ("string 3", "Q")]


def test_tagged_tokens_are_joined_to_sentences(tmp_path: Path) -> None:
    lines = ["-DOCSTART- -X- O", "", *["EU NNP B-ORG"] * 6, "", "", *["call VB O"] * 5]
    found = texts(tmp_path / "eng.testa", "\n".join(lines))
    assert found == [
        ("line 1", "-DOCSTART-"),
        ("line 3", "EU EU EU EU EU EU"),
        ("line 11", "call call call call call"),
    ]


def test_running_text_is_read_as_a_corpus_is(tmp_path: Path) -> None:
    found = texts(tmp_path / "a.txt", "One sentence is here.\nTwo.\n\nThe next document.\n")
    assert found == [
        ("document 1", "One sentence is here.\nTwo."),
        ("document 2", "The next document."),
    ]


def test_compressed_files_are_unpacked(tmp_path: Path) -> None:
    found = texts(tmp_path / "rows.jsonl.gz", gzip.compress(b'{"a": "x"}\n{"a": "y"}\n'))
    assert found == [("line 1", "x"), ("line 2", "y")]


def test_columns_of_parquet_are_texts(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["a", None, "c"], "number": [1, 2, 3], "both": [["p", "q"], [], []]})
    pq.write_table(table, tmp_path / "test.parquet")
    found = [*file_texts(find_sources(tmp_path / "test.parquet")[0])]
    assert found == [("row 1", "a"), ("row 1", "p"), ("row 1", "q"), ("row 3", "c")]


@pytest.mark.parametrize(
    ("content", "line"), [('{"a": "x"}\n{"a": \n', 2), ('{"a": "x"', 1), ('{\n"a": x\n}', 1)]
)
def test_broken_json_is_named_by_its_line(tmp_path: Path, content: str, line: int) -> None:
    with pytest.raises(CorpusError, match=rf"test\.json, line {line}: this is not JSON"):
        texts(tmp_path / "test.json", content)


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_an_empty_file_of_rows_has_no_texts(tmp_path: Path, name: str) -> None:
    assert [text for _, text in texts(tmp_path / name, "\n") if text] == []
