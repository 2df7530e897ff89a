"""Whether one of two models is better on the same rows by more than chance explains.

The test is McNemar's (1947), with the correction of Edwards (1948) of one row, wherever a figure is
a mean over rows, such as accuracy. Other figures, such as the F1 of all entities, are taken apart
into pseudovalues, one a row, by leaving each row out once (Tukey 1958; Efron & Tibshirani 1993,
chapter 11); of a mean these are its rows.

Figures of texts, such as BLEU, are tested by the paired bootstrap, as the field does: both models
are measured on many samples of the rows, drawn with replacement (Koehn 2004, section 4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.metrics.correlation import average_ranks

__all__ = [
    "Difference",
    "SumFigure",
    "Sums",
    "Tallies",
    "bootstrap_difference",
    "correlation_of_sums",
    "correlation_tallies",
    "f1_tallies",
    "paired_difference",
    "rank_tallies",
    "share_of_sums",
    "share_tallies",
]

Sums = NDArray[np.float64]  # (..., K)
SumFigure = Callable[[Sums], NDArray[np.float64]]  # (..., K) sums to (...) figures

_NINETY_FIVE = 1.96  # standard errors that chance exceeds in one case of twenty


class Tallies(NamedTuple):
    """What each of N rows adds to the sums that a figure is computed from."""

    parts: Sums  # (N, K)
    figure: SumFigure
    by_bootstrap: bool = False  # how differences are tested, instead of by pseudovalues

    def pseudovalues(self) -> NDArray[np.float64]:
        """Return (N,) numbers whose mean is about the figure: N f - (N - 1) f without the row."""
        size, sums = len(self.parts), self.parts.sum(axis=0)
        without = self.figure(sums - self.parts)
        return size * self.figure(sums) - (size - 1) * without


class Difference(NamedTuple):
    """By how much the first of two models is better."""

    value: float
    standard_error: float  # of models that are equally good
    num_rows: int
    p_value: float | None = None  # of the paired bootstrap, two-sided

    @property
    def is_certain(self) -> bool:
        """Whether chance gives such a difference in less than one case of twenty."""
        if self.p_value is not None:
            return self.p_value < 0.05
        return abs(self.value) - 1 / self.num_rows > _NINETY_FIVE * self.standard_error


def paired_difference(first: Tallies, second: Tallies) -> Difference | None:
    """Return the difference of the figures of two models; None: there are fewer than two rows."""
    size = len(first.parts)
    if size < 2:
        return None
    if first.by_bootstrap:
        return bootstrap_difference(first, second)
    each = first.pseudovalues() - second.pseudovalues()  # (N,)
    whole = [float(of.figure(of.parts.sum(axis=0))) for of in (first, second)]
    error = float(np.sqrt(np.square(each).sum()) / size)
    return Difference(whole[0] - whole[1], error, size)


def bootstrap_difference(
    first: Tallies, second: Tallies, *, num_samples: int = 1000, seed: int = 0
) -> Difference:
    """Return the difference of the figures of two models, tested on samples of the same rows.

    Args:
        first: of N rows.
        second: of the same rows.
        num_samples: how often N rows are drawn, with replacement.
        seed: of the draws.
    """
    size, width = first.parts.shape
    rng = np.random.default_rng(seed)
    both = np.concatenate([first.parts, second.parts], axis=1)
    draws = (rng.integers(size, size=size) for _ in range(num_samples))
    sums = np.stack([np.bincount(rows, minlength=size) @ both for rows in draws])
    samples = first.figure(sums[:, :width]) - second.figure(sums[:, width:])
    rarer = min((samples <= 0).sum(), (samples >= 0).sum())
    whole = both.sum(axis=0)
    value = float(first.figure(whole[:width]) - second.figure(whole[width:]))
    p_value = min(1.0, (2 * int(rarer) + 1) / (num_samples + 1))
    return Difference(value, float(samples.std()), size, p_value)


def share_tallies(part: ArrayLike, whole: ArrayLike = 1.0) -> Tallies:
    """Return tallies of the share `part` / `whole`, (N,) each; of a mean where `whole` is one.

    Args:
        part: (N,), what is right of each row.
        whole: (N,), of how much.
    """
    parts = np.asarray(part, np.float64)
    sizes = np.broadcast_to(np.asarray(whole, np.float64), parts.shape)
    return Tallies(np.stack([parts, sizes], axis=1), share_of_sums)


def f1_tallies(hits: ArrayLike, right: ArrayLike, given: ArrayLike) -> Tallies:
    """Return tallies of the F1 of what rows hold several of, from (N,) counts a row.

    Args:
        hits: what is right and was given.
        right: what is right.
        given: what was given.
    """
    counts = np.asarray(right, np.float64) + np.asarray(given, np.float64)
    return share_tallies(2 * np.asarray(hits, np.float64), counts)


def correlation_tallies(x: ArrayLike, y: ArrayLike) -> Tallies:
    """Return tallies of the correlation of (N,) and (N,) numbers, 0 where one never varies."""
    a, b = (_centred(np.asarray(values, np.float64)) for values in (x, y))
    return Tallies(
        np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), correlation_of_sums
    )


def rank_tallies(x: ArrayLike, y: ArrayLike) -> Tallies:
    """Return the same of the ranks, which stay as they are where a row is left out.

    Args:
        x: (N,) numbers.
        y: (N,) numbers.
    """
    return correlation_tallies(average_ranks(x), average_ranks(y))


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers around 0, the largest about 1, so that no sum of squares is lost."""
    around = values - values.mean()
    largest = np.abs(around).max()
    scaled: NDArray[np.float64] = around / (largest or 1.0)
    return scaled


def _columns(sums: Sums) -> list[NDArray[np.float64]]:
    return [sums[..., place] for place in range(sums.shape[-1])]


def share_of_sums(sums: Sums) -> NDArray[np.float64]:
    """Return the shares of sums (..., 2) of parts and wholes, 0 of nothing."""
    part, whole = _columns(sums)
    found: NDArray[np.float64] = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return found


def correlation_of_sums(sums: Sums) -> NDArray[np.float64]:
    """Return the correlations of sums (..., 6): of ones, x, y, x x, y y and x y."""
    size, x, y, xx, yy, xy = _columns(sums)
    covariance = size * xy - x * y
    spread = np.sqrt(np.maximum(size * xx - x * x, 0) * np.maximum(size * yy - y * y, 0))
    found: NDArray[np.float64] = np.divide(
        covariance, spread, out=np.zeros_like(spread), where=spread > 1e-12
    )
    return found
