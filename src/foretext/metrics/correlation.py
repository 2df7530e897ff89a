"""How well two series of numbers agree; pure functions of arrays.

How vectors of length 1 lie on their sphere (Wang and Isola 2020, section 4). Alignment is the
mean squared distance of texts that belong together. Uniformity is the logarithm of the mean of
exp(-2 x squared distance) over all pairs of texts: lowest where they are spread over the whole
sphere, and 0 where all are one point. Lower is better for both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["alignment", "average_ranks", "kendall", "pearson", "spearman", "uniformity"]


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Linear correlation of two series of equal length; NaN where one of them never varies.

    Args:
        x: (N,) numbers.
        y: (N,) numbers.

    Raises:
        ValueError: the lengths differ or are below two.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)  # (N,)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(f"two series of equal length, two or more, are needed: {a.shape, b.shape}")
    if not (np.ptp(a) > 0 and np.ptp(b) > 0):
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()  # squares of tiny or huge numbers stay finite
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Rank correlation; equal numbers share the mean of their ranks; NaN where one never varies.

    Args:
        x: (N,) numbers.
        y: (N,) numbers.

    Raises:
        ValueError: the lengths differ or are below two.
    """
    if np.isnan(np.asarray(x, dtype=np.float64)).any() or np.isnan(np.asarray(y, float)).any():
        return float("nan")
    return pearson(average_ranks(x), average_ranks(y))


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: how often two series order a pair alike; NaN where one never varies.

    Time and memory grow with the square of the length: it is for orders of some dozens of things.

    Raises:
        ValueError: the lengths differ or are below two.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)  # (N,)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(f"two series of equal length, two or more, are needed: {a.shape, b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        return float("nan")
    first, second = (np.sign(each[:, None] - each) for each in (a, b))  # (N, N)
    size = np.sqrt(np.abs(first).sum() * np.abs(second).sum())
    return float((first * second).sum() / size) if size else float("nan")


def average_ranks(x: ArrayLike) -> NDArray[np.float64]:
    """Return the rank of each number, from 1; equal numbers share the mean of their ranks."""
    _, groups, sizes = np.unique(
        np.asarray(x, dtype=np.float64), return_inverse=True, return_counts=True
    )
    ends = np.cumsum(sizes)
    means: NDArray[np.float64] = (ends - sizes + 1 + ends) / 2
    return means[groups]


def alignment(cosines: ArrayLike) -> float:
    """Return the mean squared distance of pairs with these cosines, (N,); 0 of none."""
    distances = 2 - 2 * np.asarray(cosines, np.float64)
    return float(distances.mean()) if distances.size else 0.0


def uniformity(cosines: ArrayLike) -> float:
    """Return the uniformity of N texts from the cosines of all with all, (N, N); 0 of one."""
    table = np.asarray(cosines, np.float64)
    above = table[np.triu_indices(len(table), 1)]
    return float(np.log(np.exp(-2 * (2 - 2 * above)).mean())) if above.size else 0.0
