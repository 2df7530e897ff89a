"""Scores of pairs of texts beside the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.excerpts import excerpt
from foretext.data.rows import LabelledPair

__all__ = ["score_findings"]

MOST_POINTS = 1000
MOST_ERRORS = 50


def score_findings(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> dict[str, Any]:
    """Return points of right and given scores, and the pairs where they differ most.

    Args:
        rows: with their right scores.
        given: (N,) scores.
    """
    gold = np.array([row.score for row in rows], np.float64)  # (N,)
    shown = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round())
    worst = np.argsort(-np.abs(given - gold), kind="stable")[:MOST_ERRORS]
    return {
        "points": [[float(gold[place]), float(given[place])] for place in shown.astype(int)],
        "errors": [
            {
                "text_a": excerpt(rows[place].text_a),
                "text_b": excerpt(rows[place].text_b),
                "right": float(gold[place]),
                "given": float(given[place]),
                "place": rows[place].place,
            }
            for place in worst.tolist()
        ],
    }
