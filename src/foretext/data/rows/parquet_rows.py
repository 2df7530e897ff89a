"""Rows of Apache Parquet; only the columns that are needed are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from foretext.corpus.parquet import parquet_batches
from foretext.corpus.source import Source
from foretext.data.rows.record import Record
from foretext.data.rows.settings import LabelledConfig

__all__ = ["parquet_records"]


def parquet_records(source: Source, config: LabelledConfig) -> Iterator[Record]:
    """Yield the rows; their places are numbers of rows from 1.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column.
    """
    columns = [str(column) for column in config.columns]

    def check(schema: Any) -> None:
        for column in columns:
            Record(dict.fromkeys(schema.names), source.name, 1).value(column)

    with source.open() as file:
        batches = parquet_batches(file, columns, source.name, check)
        for number, values in enumerate(chain.from_iterable(batches), start=1):
            yield Record(values, source.name, number)
