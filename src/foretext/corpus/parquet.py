"""Apache Parquet: a row is a document, one of its columns the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from foretext.corpus.columns import missing_column
from foretext.errors import CorpusError, MissingExtraError

__all__ = ["parquet_rows"]

_BATCH_ROWS = 256


def parquet_rows(file: BinaryIO, column: str, name: str) -> Iterator[str]:
    """Yield `column` of a Parquet file, "" for null, reading no other column.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column of text.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", f"Reading {name}") from None
    try:
        table = pq.ParquetFile(file)
        _check_parquet_column(table.schema_arrow, column, name)
        for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=[column]):
            yield from (text or "" for text in batch.column(0).to_pylist())
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the device, not the data
        cause = " ".join(str(error).split())[:200].rstrip(".")
        raise CorpusError(
            f"{name} is no Parquet file or a damaged one ({cause}); download or write it again."
        ) from error


def _check_parquet_column(schema: Any, column: str, name: str) -> None:
    import pyarrow as pa

    if column not in schema.names:
        raise missing_column(name, column, schema.names)
    kind = schema.field(column).type
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(value) or pa.types.is_large_string(value)):
        raise CorpusError(
            f"{name}: the column '{column}' holds {kind}, not text; "
            "name a column of text with column (--column)."
        )
