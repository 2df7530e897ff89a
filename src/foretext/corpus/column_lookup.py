"""Columns of a row by name, and the error about a missing one, the same for every format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foretext.base.errors import CorpusError, suggestion
from foretext.messages import message, sentences, translated

__all__ = ["has_column", "missing_column", "nested_names", "value_at"]


def value_at(values: Mapping[Any, Any], column: Any) -> Any:
    """Return the value of a column; ``translation.de`` is that of ``de`` in ``translation``.

    A column that has this very name comes first. What stands in null is null.

    Raises:
        KeyError: there is no such column.
    """
    if column in values:
        return values[column]
    name = column if isinstance(column, str) else ""
    for place in [place for place, mark in enumerate(name) if mark == "."]:
        within = values.get(name[:place], ())
        if within is None:
            return None
        if isinstance(within, Mapping):
            return value_at(within, name[place + 1 :])
    raise KeyError(column)


def has_column(values: Mapping[Any, Any], column: Any) -> bool:
    """Whether `value_at` finds a column."""
    try:
        value_at(values, column)
    except KeyError:
        return False
    return True


def nested_names(values: Mapping[Any, Any]) -> Iterator[Any]:
    """Yield the names of all columns, in place of an object those of its values."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from (f"{name}.{inner}" for inner in nested_names(value))
        else:
            yield name


def missing_column(where: str, column: str, present: Iterable[str]) -> CorpusError:
    """Return the error at `where` that `column` is not among those `present`, with a guess."""
    names = list(present)
    shown = ", ".join(repr(name[:40]) for name in names[:12]) + (", ..." if names[12:] else "")
    hint = suggestion(column, names) or message("errors.column.name")
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        hint = message("errors.column.separators")
    elif any(len(name) > 40 for name in names):
        hint = message("errors.column.no_header")
    known = {"where": where, "column": column, "columns": shown or translated("none")}
    return CorpusError(sentences([message("errors.column.absent", **known), hint]))
