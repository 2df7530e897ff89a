from __future__ import annotations

from pathlib import Path

import pytest

from foretext.data.rows import PairsConfig, RowsConfig, is_table, table_inputs
from foretext.errors import CorpusError, SettingError


def test_columns_of_the_training_or_of_the_field(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('id,body,text\n7,"a ship, at sea",other\n8,a farm,more\n')
    learned = RowsConfig(text="body", label="topic")
    first, second = table_inputs(path, ("text",), learned, ["id"])
    assert (first.texts, first.kept) == (("a ship, at sea",), {"id": "7"})
    assert second.texts == ("a farm",)
    (given, _) = table_inputs(path, ("text",), RowsConfig(text=2, label=1))
    assert given == (("other",), {})  # numbers are of a file without a header
    with pytest.raises(CorpusError, match=r"line 2: there is no column 'autor' to keep, only 'id'"):
        list(table_inputs(path, ("text",), learned, ["autor"]))
    path.write_text("id,content\n7,a ship\n")
    with pytest.raises(CorpusError, match=r"no column 'body' as in training, and none is called"):
        list(table_inputs(path, ("text",), learned))
    with pytest.raises(SettingError, match="--keep text: the answers contain this text already"):
        list(table_inputs(path, ("text",), learned, ["text"]))


def test_pairs_and_objects(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"s1": "a", "s2": "b", "n": 3}\n')
    pairs = PairsConfig(text_a="s1", text_b="s2", score="gold")
    assert list(table_inputs(path, ("text_a", "text_b"), pairs, ["n"])) == [(("a", "b"), {"n": 3})]


def test_which_files_are_tables() -> None:
    assert is_table("a.csv", [])
    assert is_table("a.csv.gz", [])
    assert is_table("a.tsv", ["id"])
    assert not is_table("a.tsv", [])  # may be plain lines of pairs
    assert not is_table("-", [])
    with pytest.raises(SettingError, match=r"a\.txt has none; give a \.csv, \.tsv or \.jsonl"):
        is_table("a.txt", ["id"])
