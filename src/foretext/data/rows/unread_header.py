"""A header in a file whose columns have numbers, so that it was read as a row."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Protocol

from foretext.errors import CorpusError

__all__ = ["refuse_header"]

ENOUGH = 10  # rows from which a label of the first one alone is strange
USUAL_LENGTHS = 2  # texts are so many times as long as the name of their column, at least


class LabelledRow(Protocol):
    """What labelled texts and pairs have in common."""

    @property
    def text(self) -> str:
        """Its text, or its texts."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels."""
        ...

    @property
    def place(self) -> str:
        """``file:line``."""
        ...


def refuse_header(rows: Sequence[LabelledRow], num_texts: int) -> None:
    """Refuse rows whose first one, in line 1, is surely the names of the columns.

    Its label is no other row's, and each of its texts is one short word where others are long.

    Args:
        rows: of which columns were read by their numbers.
        num_texts: columns that make up the text of a row.

    Raises:
        CorpusError: there is such a row.
    """
    if len(rows) < ENOUGH:
        return
    usual = median(len(row.text) for row in rows)
    for row in rows:
        file, _, line = row.place.rpartition(":")
        is_short = len(row.text.split()) <= num_texts
        is_short = is_short and USUAL_LENGTHS * len(row.text) <= usual
        if line == "1" and is_short and _has_own_label(row, rows):
            raise CorpusError(
                f"{file}, line 1: columns that have numbers are those of a file without a header, "
                f"but this row looks like one (no other row has the label '{row.labels[0]}'); name "
                "the columns by the names in it, or remove the line."
            )


def _has_own_label(row: LabelledRow, rows: Sequence[LabelledRow]) -> bool:
    others = {label for other in rows if other is not row for label in other.labels}
    return bool(row.labels) and others.isdisjoint(row.labels)
