"""A header in a file whose columns have numbers, so that it was read as a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from foretext.base.errors import CorpusError
from foretext.data.rows.labelled_row import LabelledRow

__all__ = ["refuse_header"]

ENOUGH = 10  # rows from which a label of one row alone is strange
USUAL_LENGTHS = 2  # texts are so many times as long as the name of their column, at least


def refuse_header(rows: Sequence[LabelledRow], num_texts: int) -> None:
    """Refuse rows whose first one, in line 1, is surely the names of the columns.

    Its label is no number and the only one of a single row, and each of its texts is one short word
    where others are long.

    Args:
        rows: of which columns were read by their numbers.
        num_texts: columns that make up the text of a row.

    Raises:
        CorpusError: there is such a row.
    """
    first_lines = [row for row in rows if row.place.endswith(":1")]
    if len(rows) < ENOUGH or not first_lines:
        return
    usual = median(len(row.text) for row in rows)
    rare = _labels_of_one_row(rows)
    if not rare or any(map(_is_number, rare)):
        return
    for row in first_lines:
        is_short = USUAL_LENGTHS * len(row.text) <= usual and len(row.text.split()) <= num_texts
        if is_short and rare == set(row.labels):
            raise CorpusError(
                f"{row.place.removesuffix(':1')}, line 1: columns that have numbers are those of a "
                "file without a header, but this row looks like one (no other row has the label "
                f"'{row.labels[0]}'); name the columns by the names in it, or remove the line."
            )


def _labels_of_one_row(rows: Sequence[LabelledRow]) -> set[str]:
    counts = Counter(label for row in rows for label in set(row.labels))
    return {label for label, count in counts.items() if count == 1}


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True
