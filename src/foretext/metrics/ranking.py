"""How well scores rank the pairs, or texts, that belong to a class; pure functions of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.metrics.correlation import average_ranks

__all__ = ["Cut", "area_under_curve", "average_precision", "best_accuracy", "best_f1"]


class Cut(NamedTuple):
    """The threshold from which scores count as positive, and how good the answers are then."""

    value: float
    threshold: float
    precision: float
    recall: float


def average_precision(is_positive: ArrayLike, scores: ArrayLike) -> float:
    """Return the mean precision over the ranks of the positives; equal scores are one step.

    Raises:
        ValueError: there is no positive.
    """
    right, total, _, num_positive = _steps(is_positive, scores)
    gained = np.diff(right, prepend=0)
    return float((gained * right / total).sum() / num_positive)


def area_under_curve(is_positive: ArrayLike, scores: ArrayLike) -> float:
    """Return how often a positive has a higher score than a negative; half for equal scores.

    Raises:
        ValueError: there is no positive, or no negative.
    """
    positive = np.asarray(is_positive, np.bool_)
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if not (num_positive and num_negative):
        raise ValueError("positives and negatives are needed")
    rank_sum = average_ranks(scores)[positive].sum()
    return float((rank_sum / num_positive - (num_positive + 1) / 2) / num_negative)


def best_accuracy(is_positive: ArrayLike, scores: ArrayLike) -> Cut:
    """Return the highest accuracy that a threshold gives.

    Raises:
        ValueError: there is no positive.
    """
    right, total, _, num_positive = _steps(is_positive, scores)
    accuracy = (right + (total[-1] - num_positive) - (total - right)) / total[-1]
    return _cut(is_positive, scores, accuracy)


def best_f1(is_positive: ArrayLike, scores: ArrayLike) -> Cut:
    """Return the highest F1 that a threshold gives.

    Raises:
        ValueError: there is no positive.
    """
    right, total, _, num_positive = _steps(is_positive, scores)
    return _cut(is_positive, scores, 2 * right / (total + num_positive))


_Counts = NDArray[np.signedinteger[Any]]


def _steps(
    is_positive: ArrayLike, scores: ArrayLike
) -> tuple[_Counts, _Counts, NDArray[np.float64], int]:
    """Return, for each different score from the highest, what is at least as high.

    Returns:
        The number of positives, of all, the score itself, and how many positives there are at all.
    """
    positive, values = np.asarray(is_positive, np.bool_), np.asarray(scores, np.float64)
    if not positive.any():
        raise ValueError("a positive is needed")
    order = np.argsort(-values, kind="stable")
    values, hits = values[order], np.cumsum(positive[order].astype(np.int64))
    ends = np.flatnonzero(np.append(np.diff(values) != 0, True))
    return hits[ends], ends + 1, values[ends], int(hits[-1])


def _cut(is_positive: ArrayLike, scores: ArrayLike, figures: NDArray[np.float64]) -> Cut:
    """Return the best of the figures, whose threshold is midway to the next score."""
    right, total, values, num_positive = _steps(is_positive, scores)
    best = int(figures.argmax())
    threshold = (values[best] + values[min(best + 1, len(values) - 1)]) / 2
    return Cut(
        float(figures[best]),
        float(threshold),
        float(right[best] / total[best]),
        float(right[best] / num_positive),
    )
