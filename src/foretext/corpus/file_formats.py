"""The formats of the files of a corpus, a row each: plain text, and tables of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from foretext.base.registry import imported

__all__ = ["AUTO", "FORMATS", "FileFormat", "FormatName"]

AUTO = "auto"  # by suffix


class FileFormat(NamedTuple):
    """One format.

    Attributes:
        suffixes: of its files, before those of compression.
        rows: "module:function" that yields the text of each row, as ``(chunks, column, name,
            largest)``; None: plain text, which has no rows.
        is_binary: whether that function gets the file, as ``(file, column, name)``, in place of
            chunks of decoded text.
    """

    suffixes: tuple[str, ...]
    rows: str | None = None
    is_binary: bool = False

    @property
    def reader(self) -> Callable[..., Iterator[str]]:
        """The function that yields the text of each row."""
        assert self.rows is not None
        function: Callable[..., Iterator[str]] = imported(self.rows)
        return function


FORMATS: dict[str, FileFormat] = {
    "txt": FileFormat((".txt",)),
    "jsonl": FileFormat((".jsonl", ".ndjson"), "foretext.corpus.jsonl:jsonl_rows"),
    "csv": FileFormat((".csv",), "foretext.corpus.delimited:csv_rows"),
    "tsv": FileFormat((".tsv",), "foretext.corpus.delimited:tsv_rows"),
    "parquet": FileFormat((".parquet",), "foretext.corpus.parquet:parquet_rows", is_binary=True),
}


def _known(name: Any) -> str:
    names = [AUTO, *FORMATS]
    if not isinstance(name, str) or name not in names:
        *first, last = map(repr, names)
        raise ValueError(f"should be {', '.join(first)} or {last}")
    return name


NAMES: dict[str, Any] = {"enum": [AUTO, *FORMATS]}
FormatName = Annotated[str, BeforeValidator(_known), Field(json_schema_extra=NAMES)]
