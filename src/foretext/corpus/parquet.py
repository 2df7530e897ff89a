"""Apache Parquet: each row is a document, one column is the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from foretext.base.errors import CorpusError, ForetextError, MissingExtraError
from foretext.base.parsing.lfs_pointer import lfs_pointer_error
from foretext.corpus.column_lookup import has_column, missing_column, nested_names, value_at
from foretext.messages import message

__all__ = ["column_types", "parquet_batches", "parquet_rows"]

_BATCH_ROWS = 256
_SHOWN = 60  # characters of a type that an error repeats


def parquet_rows(file: BinaryIO, column: str, name: str) -> Iterator[str]:
    """Yield `column` of a Parquet file, "" for null, reading no other column.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column of text.
    """

    def check(schema: Any) -> None:
        _check_parquet_column(schema, column, name)

    for rows in parquet_batches(file, [column], name, check):
        yield from (value_at(row, column) or "" for row in rows)


def parquet_batches(
    file: BinaryIO, columns: list[str] | None, name: str, check: Callable[[Any], None]
) -> Iterator[list[dict[str, Any]]]:
    """Yield batches of rows, as Python values by column.

    Args:
        file: of Parquet.
        columns: to read; None: all.
        name: of the file, for error messages.
        check: called with the schema; raises if the columns cannot be used.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(
            "pyarrow", "parquet", message("errors.purpose.read", name=name)
        ) from None
    try:
        table = pq.ParquetFile(file)
        check(table.schema_arrow)
        for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
            yield batch.to_pylist()
    except ForetextError:
        raise
    except Exception as error:  # pyarrow's own, and Python's for times, text and numbers
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the device, not the data
        file.seek(0)
        pointer = lfs_pointer_error(file.read(64), name, CorpusError)
        cause = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        if pointer is not None:
            raise pointer from None
        raise CorpusError(message("files.text.parquet", name=name, cause=cause)) from error


def column_types(fields: Iterable[Any]) -> dict[str, Any]:
    """Return the types of columns by name, those of a struct in a dict of their own."""
    import pyarrow as pa

    return {
        field.name: column_types(field.type) if pa.types.is_struct(field.type) else field.type
        for field in fields
    }


def _check_parquet_column(schema: Any, column: str, name: str) -> None:
    import pyarrow as pa

    columns = column_types(schema)
    if not has_column(columns, column):
        raise missing_column(name, column, nested_names(columns))
    kind = value_at(columns, column)
    if isinstance(kind, dict):
        inner = [each for each in nested_names(kind) if _is_text(value_at(kind, each))]
        kind = schema.field(column).type if column in schema.names else pa.struct([])
        if inner:
            raise CorpusError(
                f"{name}: the column '{column}' contains {str(kind)[:_SHOWN]}, not text; name a "
                f"column within it, such as '{column}.{inner[0]}'."
            )
    if not _is_text(kind):
        raise CorpusError(
            f"{name}: the column '{column}' contains {str(kind)[:_SHOWN]}, not text; "
            f"{_remedy(kind, schema)}."
        )


def _is_text(kind: Any) -> bool:
    """Whether a column has strings: of any layout, or by number in a dictionary of strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or kind in (pa.large_string(), pa.string_view())


def _remedy(kind: Any, schema: Any) -> str:
    """Say what to do about a column that is no text."""
    import pyarrow as pa

    if "binary" in str(kind):
        return "write the file again with that column as strings, or name another (--column)"
    texts = [field.name for field in schema if _is_text(field.type)]
    named = ", ".join(repr(text[:40]) for text in texts[:5])
    other = f"name a column of text with column (--column): {named}"
    if pa.types.is_nested(kind):
        join = "write the file again with its values joined to one text a row"
        return f"{other}, or {join}" if texts else join
    return other if texts else "no column is; write the file again with one"
