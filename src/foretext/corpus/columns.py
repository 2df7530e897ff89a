"""The error about a missing column, the same for every format with columns."""

from __future__ import annotations

from collections.abc import Iterable

from foretext.errors import CorpusError, did_you_mean

__all__ = ["missing_column"]


def missing_column(where: str, column: str, present: Iterable[str]) -> CorpusError:
    """Return the error at `where` that `column` is not among those `present`, with a guess."""
    names = list(present)
    shown = ", ".join(repr(name[:40]) for name in names[:12]) + (", ..." if names[12:] else "")
    hint = did_you_mean(column, names) or " Name one of them with column (--column)."
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        hint = " Columns are separated by ',' in .csv and by a tab in .tsv; rename the file."
    elif any(len(name) > 40 for name in names):
        hint = " The first line must name the columns; it looks like text, so add such a line."
    return CorpusError(f"{where}: there is no column '{column}', only {shown or 'none'}.{hint}")
