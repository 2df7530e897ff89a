"""Rows of Apache Parquet, of which only the columns that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from foretext.corpus.source import Source
from foretext.data.rows.record import Record
from foretext.data.rows.settings import LabelledConfig
from foretext.errors import CorpusError, MissingExtraError

__all__ = ["parquet_records"]


def parquet_records(source: Source, config: LabelledConfig) -> Iterator[Record]:
    """Yield the rows; their places are numbers of rows from 1.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", f"Reading {source.name}") from None
    columns = [str(column) for column in config.columns]
    numbers = count(1)
    with source.open() as file:
        try:
            table = pq.ParquetFile(file)
            for column in columns:
                Record(dict.fromkeys(table.schema_arrow.names), source.name, 1).value(column)
            for batch in table.iter_batches(columns=columns):
                for values in batch.to_pylist():
                    yield Record(values, source.name, next(numbers))
        except pa.ArrowException as error:
            cause = " ".join(str(error).split())[:200].rstrip(".")
            raise CorpusError(
                f"{source.name} is no Parquet file or a damaged one ({cause}); download or write "
                "it again."
            ) from error
