"""Plain files whose lines are comma-separated values without a header, found by their labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foretext.data.rows.table import rows_of_csv

__all__ = ["comma_rows", "label_column"]

KNOWN = 0.5  # share of values that are labels of the model, from which a column is theirs


def comma_rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the values of the first lines of a file, [] if they are none of CSV."""
    rows = list(rows_of_csv(line for line in lines if line.strip()))
    return rows if rows and len(rows[0]) > 1 else []


def label_column(rows: Sequence[Sequence[str]], labels: Collection[str]) -> int | None:
    """Return the number of the column, from 1, that holds known labels; None: none does."""
    for place in range(len(rows[0]) if rows else 0):
        found = [row[place].strip() in labels for row in rows if place < len(row)]
        if sum(found) >= KNOWN * len(rows):
            return place + 1
    return None
