"""Cells of a table that people fill in with a spreadsheet, which takes some texts for formulas.

A cell that begins with ``=``, ``+``, ``-`` or ``@`` would be computed, and its text lost; it gets
an apostrophe in front, and so does one that begins with apostrophes before such a character.
Reading removes one apostrophe in a table with all `SHEET_COLUMNS`, and in no other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from foretext.data.rows.record import Record

__all__ = ["SHEET_COLUMNS", "guarded_cell", "unguarded_records"]

SHEET_COLUMNS = ("label", "suggested", "probability", "priority", "why")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guarded_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded_records(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records with the texts that `guarded_cell` was given, if their table is such a one."""
    given = iter(records)
    first = next(given, None)
    if first is None:
        return
    every = chain((first,), given)
    if not {*SHEET_COLUMNS} <= {*first.values}:
        yield from every
        return
    for record in every:
        values = {
            name: cell[1:] if isinstance(cell, str) and _GUARDED.match(cell) else cell
            for name, cell in record.values.items()
        }
        yield record._replace(values=values)
