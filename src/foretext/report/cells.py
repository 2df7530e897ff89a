"""Values as text for the tiles and tables of a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from foretext.progress import human_count

__all__ = ["best_first", "cell", "label", "table", "tile"]

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
    """Return `value` as the large figure of a tile."""
    return human_count(value) if isinstance(value, int) and value >= LARGE else cell(value)


def label(name: str) -> str:
    """Return the words of a setting or figure called `name`: ``num_tokens`` is ``tokens``."""
    return name.removeprefix("num_").replace("_", " ")


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
