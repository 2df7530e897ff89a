"""Rows of Apache Parquet; only the columns that are needed are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from foretext.corpus.compression import unpacked
from foretext.corpus.parquet import column_types, parquet_batches
from foretext.corpus.sources import Source
from foretext.data.rows.record import Record
from foretext.data.rows.settings import LabelledConfig

__all__ = ["PARQUET", "parquet_records"]

PARQUET = b"PAR1"  # first bytes of a file


def parquet_records(
    source: Source, config: LabelledConfig, *, every: bool = False
) -> Iterator[Record]:
    """Yield the rows; their places are numbers of rows from 1.

    Args:
        source: of the file, which may be compressed as a whole.
        config: whose columns are read.
        every: whether all columns are read.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column.
    """
    columns = None if every else [str(column) for column in config.columns]

    def check(schema: Any) -> None:
        for column in columns or ():
            Record(column_types(schema), source.name, 1).value(column)

    with _opened(source, config.max_piece_bytes) as file:
        batches = parquet_batches(file, columns, source.name, check)
        for number, values in enumerate(chain.from_iterable(batches), start=1):
            yield Record(values, source.name, number)


@contextmanager
def _unpacked(source: Source, largest: int) -> Iterator[BinaryIO]:
    with source.open() as file:
        yield BytesIO(b"".join(unpacked(file, source.name, largest)))


def _opened(source: Source, largest: int) -> AbstractContextManager[BinaryIO]:
    """Open a file of Parquet; one that is compressed as a whole is unpacked in memory."""
    with source.open() as file:
        is_plain = file.read(len(PARQUET)) == PARQUET
    return source.open() if is_plain else _unpacked(source, largest)
