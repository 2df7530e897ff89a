"""Tables of other libraries: a data frame, a data set or a dict of columns, read row by row.

pandas, polars, pyarrow and datasets are no dependencies, so nothing here imports them: a table is
what names its columns, as ``columns`` or ``column_names``, and gives one by ``table[name]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foretext.corpus.column_lookup import missing_column
from foretext.messages import message

__all__ = ["column_names", "column_values", "plain_value", "table_rows"]


def column_names(given: Any) -> list[str] | None:
    """Return the names of the columns of a table; None: it is no table."""
    if isinstance(given, Mapping):
        return [str(name) for name in given]
    for attribute in ("column_names", "columns"):
        names = getattr(given, attribute, None)  # foreign
        if names is not None and not callable(names):
            return [str(name) for name in names]
    return None


def column_values(table: Any, name: str) -> Iterator[Any]:
    """Yield the values of a column as plain Python has them.

    Raises:
        CorpusError: there is no such column.
    """
    names = column_names(table) or []
    if name not in names:
        raise missing_column(message("errors.location.table_in_memory"), name, names)
    return map(plain_value, table[name])


def table_rows(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, each a dict by column."""
    names = column_names(table) or []
    columns: Iterable[Iterator[Any]] = [column_values(table, name) for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def plain_value(value: Any) -> Any:
    """Return a value of numpy, pandas or pyarrow as Python's own; what is missing is None."""
    for method in ("as_py", "tolist"):  # of pyarrow; of numpy, whose scalars have it, too
        convert = getattr(value, method, None)  # foreign
        if convert is not None:
            value = convert()
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas, which equals nothing
        return None
    return None if isinstance(value, float) and value != value else value
