"""Values as text for the tiles and tables of a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from foretext.progress import human_count

__all__ = ["best_first", "budget", "cell", "duration", "label", "percent", "table", "tile"]

LARGE = 100_000  # numbers from here on are rounded in tiles


def cell(value: Any) -> str:
    """Return `value` as text: figures with four digits, thousands apart, a dash for nothing."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value) or "–"
    return str(value)


def tile(value: Any) -> str:
    """Return `value` as the large figure of a tile, which has room for five digits."""
    if isinstance(value, int) and value >= LARGE:
        return human_count(value)
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 0.1 else cell(value)


def duration(seconds: float) -> str:
    """Return a time with its units: ``0.8 s``, ``42 s``, ``3 min 05 s``, ``1 h 20 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minute:02} min"
    return f"{minutes} min {second:02} s" if minutes else f"{second} s"


def budget(seconds: float) -> str:
    """Return a time as people set it: whole minutes or hours without smaller units."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f} {unit}"
    return duration(seconds)


def percent(share: float) -> str:
    """Return a share in percent, and a small one as less than one."""
    return "< 1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")


def label(name: str) -> str:
    """Return the words of a setting or figure called `name`: ``num_tokens`` is ``tokens``."""
    return name.removeprefix("num_").replace("held_out", "held-out").replace("_", " ")


def table(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return a table with every name that occurs in `rows` as a column.

    ``head`` has the columns' names, ``numeric`` whether they hold numbers alone, ``body`` the rows.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "head": [label(name) for name in names],
        "numeric": [_is_numeric(row.get(name) for row in rows) for name in names],
        "body": [[row.get(name) for name in names] for row in rows],
    }


def best_first(trials: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return trials by their score, which is more where a trial is better; failed ones last."""
    return sorted(trials, key=lambda trial: -_score(trial))


def _score(trial: Mapping[str, Any]) -> float:
    score = trial["score"]
    return -math.inf if score is None or math.isnan(score) else float(score)


def _is_numeric(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _decimal(value: float) -> str:
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{value:,.3f}" if abs(value) >= 0.1 else f"{value:.4g}"
