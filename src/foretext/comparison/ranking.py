"""The order of the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["ranked"]

STATUSES = ("finished", "dropped", "failed", "left out")  # in the order of the table


def ranked(candidates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return candidates, the best first, as ``compare.json`` lists them.

    By the figure of the rows that all finalists answered; those that were dropped after them, the
    last ones first, by their held-out rows; then those that failed or took no part. Of equally good
    ones the better one on the held-out rows comes first, and then the one that came first before:
    never the faster one, so that a comparison that was killed ends in the same order.
    """
    return [dict(each) for each in sorted(candidates, key=_place)]


def _place(candidate: Mapping[str, Any]) -> tuple[Any, ...]:
    test, valid = candidate["test"], candidate["valid"]
    return (
        STATUSES.index(candidate["status"]),
        math.inf if test is None else -test["value"],
        -len(candidate["rounds"]),
        math.inf if valid is None else -valid["mean"],
    )
