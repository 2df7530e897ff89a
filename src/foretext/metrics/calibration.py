"""Whether the confidence of a model matches its accuracy.

Guo et al. 2017, "On Calibration of Modern Neural Networks", sections 2 and 4.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ReliabilityBin",
    "expected_calibration_error",
    "fit_temperature",
    "reliability_bins",
    "sigmoid",
    "softmax",
]

_SHARPEST, _FLATTEST = 1e-2, 1e2  # temperatures


class ReliabilityBin(NamedTuple):
    """The answers whose confidence lies above `low` and not above `high`."""

    low: float
    high: float
    size: int  # answers
    confidence: float  # mean, NaN in an empty bin
    accuracy: float  # likewise


def reliability_bins(
    confidence: ArrayLike, is_right: ArrayLike, num_bins: int = 15
) -> list[ReliabilityBin]:
    """Sort answers by confidence into bins of equal width.

    Args:
        confidence: (N,) probability of the answer that was given.
        is_right: (N,) bool.

    Raises:
        ValueError: there is none, lengths differ, or a probability is not one.
    """
    sure, right = np.asarray(confidence, np.float64), np.asarray(is_right, bool)  # (N,)
    if sure.ndim != 1 or sure.shape != right.shape or not sure.size:
        raise ValueError(f"one confidence an answer is needed: {sure.shape, right.shape}")
    if not ((sure >= 0) & (sure <= 1)).all():
        raise ValueError("confidences are probabilities, from 0 to 1")
    edges = np.linspace(0, 1, num_bins + 1)
    places = np.clip(np.searchsorted(edges, sure, side="left") - 1, 0, num_bins - 1)  # (N,)
    return [
        _bin(edges[i], edges[i + 1], sure[places == i], right[places == i]) for i in range(num_bins)
    ]


def expected_calibration_error(
    confidence: ArrayLike, is_right: ArrayLike, num_bins: int = 15
) -> float:
    """Return the mean distance of confidence and accuracy over bins, weighted by their answers.

    Raises:
        ValueError: as `reliability_bins`.
    """
    bins = [each for each in reliability_bins(confidence, is_right, num_bins) if each.size]
    total = sum(each.size for each in bins)
    return sum(each.size * abs(each.confidence - each.accuracy) for each in bins) / total


def fit_temperature(logits: ArrayLike, gold: ArrayLike) -> float:
    """Return the temperature that makes the right classes most likely, between 0.01 and 100.

    The negative log-likelihood is convex in 1 / temperature; Newton's method, kept inside a
    bracket that shrinks.

    Args:
        logits: (N, C) of held-out texts.
        gold: (N,) the right class of each, from 0.

    Raises:
        ValueError: there is none, or shapes do not fit.
    """
    scores, right = np.asarray(logits, np.float64), np.asarray(gold, np.int64)  # (N, C), (N,)
    if scores.ndim != 2 or right.shape != scores.shape[:1] or not scores.size:
        raise ValueError(f"(N, C) logits and (N,) classes are needed: {scores.shape, right.shape}")
    low, high = 1 / _FLATTEST, 1 / _SHARPEST
    sharpness = 1.0
    for _ in range(100):
        slope, curvature = _slope(scores, right, sharpness)
        low, high = (sharpness, high) if slope < 0 else (low, sharpness)
        step = sharpness - slope / curvature if curvature > 0 else np.inf
        following = step if low < step < high else (low + high) / 2
        if abs(following - sharpness) <= 1e-10 * sharpness:
            break
        sharpness = following
    return float(1 / sharpness)


def sigmoid(logits: ArrayLike) -> NDArray[np.float64]:
    """(...) logits to probabilities, each by itself."""
    scores = np.asarray(logits, np.float64)
    shrunk = np.exp(-np.abs(scores))  # never overflows
    probabilities: NDArray[np.float64] = np.where(scores >= 0, 1.0, shrunk) / (1 + shrunk)
    return probabilities


def softmax(logits: ArrayLike, temperature: float = 1.0) -> NDArray[np.float64]:
    """(..., C) logits to probabilities."""
    scores = np.asarray(logits, np.float64) / temperature
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def _bin(
    low: float, high: float, sure: NDArray[np.float64], right: NDArray[np.bool_]
) -> ReliabilityBin:
    if not sure.size:
        return ReliabilityBin(float(low), float(high), 0, float("nan"), float("nan"))
    return ReliabilityBin(
        float(low), float(high), sure.size, float(sure.mean()), float(right.mean())
    )


def _slope(
    scores: NDArray[np.float64], right: NDArray[np.int64], sharpness: float
) -> tuple[float, float]:
    """First and second derivative of the mean negative log-likelihood in the sharpness."""
    probabilities = softmax(scores * sharpness)  # (N, C)
    mean = (probabilities * scores).sum(axis=1)  # (N,)
    variance = (probabilities * scores**2).sum(axis=1) - mean**2
    return float((mean - scores[np.arange(len(right)), right]).mean()), float(variance.mean())
