"""A figure of several seeds: their mean, and how far they differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["spread"]


def spread(each: Sequence[float]) -> dict[str, Any]:
    """Return "mean", "deviation" and "each" of the scores of one seed or more.

    The deviation is that of a sample, whose squares are divided by one less than their number; None
    of one seed, which says nothing about others. A score that is no number, such as the correlation
    of answers that are all equal, counts as 0.
    """
    scores = [0.0 if math.isnan(score) else float(score) for score in each]
    mean = math.fsum(scores) / len(scores)
    if len(scores) == 1:
        return {"mean": mean, "deviation": None, "each": scores}
    squares = math.fsum((score - mean) ** 2 for score in scores)
    deviation = math.sqrt(squares / (len(scores) - 1))
    return {"mean": mean, "deviation": deviation, "each": scores}
