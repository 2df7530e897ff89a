from __future__ import annotations

import builtins
import io
from typing import Any

import pytest

from foretext.base.errors import CorpusError, MissingExtraError
from foretext.corpus.parquet import parquet_rows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def written(**columns: Any) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    file.seek(0)
    return file


def test_rows() -> None:
    texts = [f"text {number}" for number in range(1000)]
    assert list(parquet_rows(written(id=range(1000), text=texts), "text", "a")) == texts
    coded = pa.array(["a", None, "a"]).dictionary_encode()
    assert list(parquet_rows(written(text=coded), "text", "a")) == ["a", "", "a"]


def test_columns_that_are_missing_or_not_text() -> None:
    with pytest.raises(CorpusError, match=r"^a.parquet: there is no column 'text', only 'txt'\. D"):
        list(parquet_rows(written(txt=["a"]), "text", "a.parquet"))
    with pytest.raises(CorpusError, match=r"^a.parquet: the column 'text' contains int64, not"):
        list(parquet_rows(written(text=[1]), "text", "a.parquet"))


@pytest.mark.parametrize(
    "kind",
    [
        pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
    ],
)  # fmt: skip
def test_strings_of_every_layout_are_text(kind: Any) -> None:
    texts = ["ein Schiff", None, "", "a text beyond twelve bytes", "古い船"]
    column = pa.array(texts, pa.string()).cast(kind)
    assert list(parquet_rows(written(text=column), "text", "a")) == [text or "" for text in texts]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([["a", "b"]], r"contains list<.*>, not text; name a column .*: 'body', or write the file"),
        ([{"de": "a"}], r"contains struct<de: string>, not text; name a column"),
        ([b"a"], r"contains binary, not text; write the file again with that column as strings"),
        (
            [None],
            r"contains null, not text; name a column of text with column \(--column\): 'body'",
        ),
    ],
)
def test_what_is_no_text_gets_a_sentence(values: list[Any], said: str) -> None:
    table = written(text=pa.array(values), body=["b"])
    with pytest.raises(CorpusError, match=said):
        list(parquet_rows(table, "text", "a.parquet"))
    alone = written(text=pa.array([{f"field{n}": n for n in range(1000)}]))
    with pytest.raises(CorpusError, match="joined to one text a row") as caught:
        list(parquet_rows(alone, "text", "a.parquet"))
    assert len(str(caught.value)) < 300


def test_a_pointer_of_git_lfs() -> None:
    pointer = io.BytesIO(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(CorpusError, match=r"a\.parquet is not the file itself but a pointer"):
        list(parquet_rows(pointer, "text", "a.parquet"))


def test_a_damaged_file() -> None:
    whole = written(text=[f"text {number}" for number in range(10_000)]).getvalue()
    torn = whole[:200] + bytes(1000) + whole[1200:]
    for data in (whole[:500], b"PAR1 no parquet", b"", torn):
        with pytest.raises(CorpusError, match=r"^a is not a Parquet file, or is damaged"):
            list(parquet_rows(io.BytesIO(data), "text", "a"))


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def import_nothing(name: str, *arguments: Any, **keywords: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(builtins, "__import__", import_nothing)
    with pytest.raises(MissingExtraError, match=r"pip install 'foretext\[parquet\]'"):
        next(parquet_rows(io.BytesIO(), "text", "a"))


def test_text_that_is_not_utf8() -> None:
    binary = pa.array([b"\xff\xfe"], pa.binary())
    text = pa.StringArray.from_buffers(1, binary.buffers()[1], binary.buffers()[2])
    with pytest.raises(
        CorpusError, match=r"^a.parquet is not a Parquet file, or is damaged \(.*utf"
    ):
        list(parquet_rows(written(text=text), "text", "a.parquet"))
    with pytest.raises(CorpusError, match=r"the column 'text' contains binary, not text"):
        list(parquet_rows(written(text=binary), "text", "a.parquet"))
