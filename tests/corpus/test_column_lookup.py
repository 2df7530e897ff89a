"""Columns by name, those of an object within a row too."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus
from foretext.corpus.column_lookup import has_column, nested_names, value_at
from foretext.corpus.settings import CorpusConfig
from foretext.data.rows import ParallelConfig, RowsConfig, read_parallel, read_texts

LINE = '{"translation": {"de": "das schiff", "en": "the ship"}, "id": "7"}\n'


def test_values_by_name() -> None:
    row = {"a": {"b": {"c": 1}, "d.e": 2}, "a.b": 3, "n": None}
    assert [value_at(row, name) for name in ("a.b", "a.d.e", "n", "n.x")] == [3, 2, None, None]
    assert value_at({"a": {"b": {"c": 1}}}, "a.b.c") == 1
    assert value_at({1: "x"}, 1) == "x"
    assert not any(has_column(row, name) for name in ("b", "a.x", "a.b.c.d", "", ".", 1))
    assert list(nested_names(row)) == ["a.b.c", "a.d.e", "a.b", "n"]


def parquet(path: Path) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"translation": {"de": "das schiff", "en": "the ship"}, "id": "7"}] * 2
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.txt", "rows.parquet"])
def test_translations_as_datasets_write_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".parquet":
        parquet(path)
    else:
        path.write_text(LINE * 2, encoding="utf-8")
    config = ParallelConfig(source="translation.de", target="translation.en")
    assert [row[:2] for row in read_parallel(path, config)] == [("das schiff", "the ship")] * 2
    labelled = read_texts(path, RowsConfig(text="translation.en", label="id"))
    assert [(row.text, row.labels) for row in labelled] == [("the ship", ("7",))] * 2
    if path.suffix != ".txt":
        assert list(Corpus(path, CorpusConfig(column="translation.en"))) == ["the ship"] * 2
    wrong = ParallelConfig(source="translation.de", target="translation.fr")
    with pytest.raises(CorpusError, match=r"no column 'translation.fr', only 'translation.de', 't"):
        read_parallel(path, wrong)


def test_an_object_names_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(LINE, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"holds an object .* such as 'translation.de'") as caught:
        read_parallel(path, ParallelConfig(source="translation", target="id"))
    column = str(caught.value).rsplit("'", 2)[1]
    (row,) = read_parallel(path, ParallelConfig(source=column, target="id"))
    assert row.source == "das schiff"
    with pytest.raises(CorpusError, match=r"name a column within it, such as 'translation.de'"):
        list(Corpus(parquet(tmp_path / "rows.parquet"), CorpusConfig(column="translation")))
