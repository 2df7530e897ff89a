"""The best spans of a row by the sum of two scores, found for many rows at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BestSpans", "best_spans"]

Scores = NDArray[np.float32]


class BestSpans(NamedTuple):
    """The K best spans of W rows, the best first."""

    starts: NDArray[np.int64]  # (W, K)
    ends: NDArray[np.int64]  # (W, K) of the last position, which belongs to the span
    scores: Scores  # (W, K); -inf where a row has fewer spans


def best_spans(starts: Scores, ends: Scores, max_length: int, num_best: int) -> BestSpans:
    """Return the spans of at most `max_length` positions with the highest start + end.

    The K best spans begin at no more than K positions: at those whose own best span is highest.
    Only their spans are sorted.

    Args:
        starts: (W, T), -inf where no span may begin.
        ends: (W, T), -inf where no span may end.
        max_length: positions of a span.
        num_best: K; fewer come back where T positions have fewer spans.
    """
    width = min(max_length, starts.shape[1])
    ends = np.pad(ends, ((0, 0), (0, width)), constant_values=-np.inf)
    firsts = _highest(starts + _highest_ahead(ends, width), num_best)  # (W, K)
    lasts = firsts[..., None] + np.arange(width)  # (W, K, L)
    rows = np.arange(len(starts))[:, None, None]
    scores = (starts[rows, firsts[..., None]] + ends[rows, lasts]).reshape(len(starts), -1)
    chosen = _highest(scores, num_best)  # (W, K) of K * L
    return BestSpans(
        np.take_along_axis(firsts, chosen // max(width, 1), axis=1),
        np.take_along_axis(lasts.reshape(scores.shape), chosen, axis=1),
        np.take_along_axis(scores, chosen, axis=1),
    )


def _highest_ahead(values: Scores, width: int) -> Scores:
    """Return the highest of each value and those up to `width` - 1 behind it, (W, T)."""
    length = values.shape[1] - width
    highest = np.full((len(values), length), -np.inf, np.float32)
    for ahead in range(width):
        np.maximum(highest, values[:, ahead : ahead + length], out=highest)
    return highest


def _highest(values: Scores, num: int) -> NDArray[np.int64]:
    """Return the places of the highest values of each row, of equals the first."""
    return np.argsort(-values, axis=1, kind="stable")[:, :num]
