"""Refuses a file whose first line names no column that is read, and says which may hold what."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from statistics import median

from foretext.base.errors import CorpusError
from foretext.data.rows.input_columns import option
from foretext.data.rows.record import missing
from foretext.data.rows.settings import COLUMNS, LabelledConfig, as_columns
from foretext.data.rows.table import rows_of_csv
from foretext.messages import message

__all__ = ["refuse_absent_columns"]

JUDGEMENTS = ("score", "label")
ENOUGH = 100  # rows that say what is in a column


def refuse_absent_columns(
    head: Sequence[str], name: str, config: LabelledConfig, *, is_csv: bool
) -> None:
    """Refuse a table that lacks a column, with options for it.

    Args:
        head: the first lines.
        name: of the file.
        config: whose columns have names.
        is_csv: whether commas separate them; else tabs do.

    Raises:
        CorpusError: the first row does not name a column; the message has the numbers that the
            columns have in a file without a header.
    """
    lines = [line for line in head if line.strip()]
    found = rows_of_csv(lines) if is_csv else (line.split("\t") for line in lines)
    rows = list(islice(found, ENOUGH))
    absent = next((each for each in config.columns if rows and each not in rows[0]), None)
    if absent is None:
        return
    line = next(number for number, line in enumerate(head, start=1) if line.strip())
    remedy = _remedy(rows, config)
    cause = missing(absent, rows[0], remedy)
    raise CorpusError(message("errors.at_line", file=name, line=line, cause=cause))


def _remedy(rows: Sequence[Sequence[str]], config: LabelledConfig) -> str:
    """Return the options that name the columns of this task."""
    known = [name for name in COLUMNS if name in type(config).model_fields]
    chosen = {name: as_columns(getattr(config, name)) for name in known}
    read = [name for name in known if chosen[name] and {*chosen[name]} <= {*config.columns}]
    wanted = sorted(read, key=lambda name: name in JUDGEMENTS)
    named = ", ".join(map(option, wanted))
    places = _places(rows, wanted)
    numbers = " ".join(f"{option(name)} {place}" for name, place in places.items())
    if not numbers:
        return message("errors.rows.name_columns_from_1", options=named)
    return message("errors.rows.name_columns", options=named, numbers=numbers)


def _places(rows: Sequence[Sequence[str]], wanted: Sequence[str]) -> dict[str, int]:
    """Return the numbers that columns probably have, in their order; {}: there are too few.

    The label has the fewest different values, a score is a number, and the texts are the longest.
    """
    width = len(rows[0])
    columns = list(zip(*(row for row in rows if len(row) == width), strict=True))
    if width < len(wanted):
        return {}
    free, found = list(range(width)), {}
    for name in [name for name in JUDGEMENTS if name in wanted]:
        place = min(free, key=lambda at: _unlike(columns[at], name))
        free.remove(place)
        found[name] = place + 1
    texts = [name for name in wanted if name not in found]
    longest = sorted(free, key=lambda at: -median(map(len, columns[at])))[: len(texts)]
    places = [place + 1 for place in sorted(longest)]
    return {**dict(zip(texts, places, strict=True)), **found}


def _unlike(column: Sequence[str], name: str) -> tuple[float, float]:
    """Return how unlike a column is to one of labels or of scores; less is more alike."""
    different = len({*column})
    if name == "score":
        return float(not all(_is_number(value) for value in column[1:])), -different
    return float(different == 1), different


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
