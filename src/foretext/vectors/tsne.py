"""t-SNE: positions in the plane, near each other where rows are (van der Maaten and Hinton 2008).

Exactly, in one thread, with the settings of scikit-learn: early exaggeration of 12 for 250 steps,
gains of each coordinate, and a rate that follows the number of points. 500 points take half of a
CPU-second; scikit-learn's program takes three, and as much again to be imported.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.simd import LANES, padded
from foretext.kernels.tsne import FAR, descend

__all__ = ["tsne"]

Floats = NDArray[np.float64]

EXAGGERATION = 12.0
EXAGGERATED_STEPS, STEPS = 250, 750
FIRST_MOMENTUM, MOMENTUM = 0.5, 0.8
LEAST_RATE = 50.0
HALVINGS = 60  # of the interval in which the width of a row's neighbourhood is
TINY = 1e-12


def tsne(distances: Floats, start: Floats, perplexity: float) -> Floats:
    """Return (N, 2) positions for `distances` (N, N), from `start` (N, 2) on.

    Args:
        distances: from 0; the chance of a neighbour falls with ``exp(-width * distance)``.
        start: near the origin, not all in one point.
        perplexity: how many neighbours a point has, about.
    """
    count = len(distances)
    width = padded(count)
    shares = np.zeros((count, width), np.float32)
    shares[:, :count] = neighbor_shares(distances, perplexity)
    xs, ys = np.full(width, FAR, np.float32), np.full(width, FAR, np.float32)
    xs[:count], ys[:count] = start.T
    moved, gains = np.zeros(2 * width, np.float32), np.ones(2 * width, np.float32)
    sums = np.zeros(count * LANES, np.float32)
    rate = np.float32(max(count / EXAGGERATION / 4, LEAST_RATE))
    for exaggeration, steps, momentum in (
        (EXAGGERATION, EXAGGERATED_STEPS, FIRST_MOMENTUM),
        (1.0, STEPS, MOMENTUM),
    ):
        given = (shares * np.float32(exaggeration)).ravel()
        descend(given, xs, ys, moved, gains, sums, count, steps, rate, np.float32(momentum))
    return np.stack([xs[:count], ys[:count]], axis=1).astype(np.float64)


def neighbor_shares(distances: Floats, perplexity: float) -> Floats:
    """Return (N, N), symmetric, of sum 1: how near two points are, 0 for a point and itself.

    Each row's distribution over the others has the perplexity given; its width is found by halving
    an interval.
    """
    count = len(distances)
    others = ~np.eye(count, dtype=bool)
    apart = distances - np.where(others, distances, np.inf).min(axis=1, keepdims=True)
    low, high = np.full((count, 1), -50.0), np.full((count, 1), 50.0)  # exponents of 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        entropy = _chances(apart, others, np.exp2(middle))[1]
        too_wide = entropy > np.log(perplexity)
        low, high = np.where(too_wide, middle, low), np.where(too_wide, high, middle)
    shares = _chances(apart, others, np.exp2((low + high) / 2))[0]
    return np.asarray((shares + shares.T) / (2 * count), np.float64)


def _chances(apart: Floats, others: NDArray[np.bool_], width: Floats) -> tuple[Floats, Floats]:
    """Return each row's distribution (N, N), and its entropy in nats (N, 1)."""
    chances = np.where(others, np.exp(-np.where(others, apart, 0.0) * width), 0.0)
    chances /= chances.sum(axis=1, keepdims=True)
    entropy = -(chances * np.log(np.maximum(chances, TINY))).sum(axis=1, keepdims=True)
    return chances, entropy
