"""Figures of sums by name, so that tallies can be written to a file and read again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.metrics.paired import (
    SumFigure,
    Tallies,
    correlation_of_sums,
    share_of_sums,
    share_tallies,
)
from foretext.metrics.texts import bleu_of_sums, chrf_of_sums

__all__ = ["SUM_FIGURES", "named_tallies", "row_scores", "suits", "sum_figure_name"]

SHARE, CORRELATION = "share", "correlation"
SUM_FIGURES: dict[str, SumFigure] = {
    SHARE: share_of_sums,
    CORRELATION: correlation_of_sums,
    "bleu": bleu_of_sums,
    "chrf": chrf_of_sums,
}
_WIDTHS = {SHARE: 2, CORRELATION: 6, "bleu": 10}  # numbers of sums


def sum_figure_name(tallies: Tallies) -> str | None:
    """Return the name of the figure of tallies; None: it is none of `SUM_FIGURES`."""
    return next((name for name, own in SUM_FIGURES.items() if own is tallies.figure), None)


def named_tallies(tallies: Tallies) -> tuple[str, NDArray[np.float64]]:
    """Return the name of a figure and the parts (N, K) that it is computed from.

    A figure from outside of foretext, which has no name, becomes the mean of its pseudovalues:
    about the same figure.
    """
    name = sum_figure_name(tallies)
    if name is not None:
        return name, tallies.parts
    return SHARE, share_tallies(tallies.pseudovalues()).parts


def suits(name: str, width: int) -> bool:
    """Whether there is such a figure, of sums of so many parts."""
    if name == "chrf":
        return width > 0 and width % 3 == 0
    return _WIDTHS.get(name) == width


def row_scores(tallies: Tallies) -> NDArray[np.float64]:
    """Return how good each answer alone is, (N,); higher is better.

    Of a correlation, which one row does not have: how near its two numbers are. Of a share: 1 where
    there is nothing to share, such as an F1 where no entity is right and none was given.
    """
    if tallies.figure is correlation_of_sums:
        return -np.abs(tallies.parts[:, 1] - tallies.parts[:, 2])
    scores = tallies.figure(tallies.parts)
    if tallies.figure is share_of_sums:
        scores[tallies.parts[:, 1] == 0] = 1.0
    return scores
