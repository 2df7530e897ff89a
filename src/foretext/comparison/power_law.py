"""What another label is worth: errors fall about as a power of the number of labels.

error(n) = a n^-b + c with a, c >= 0 (Cortes et al. 1993; Hestness et al. 2017), by weighted least
squares: for each power of a grid the other two are linear. A law that the points do not follow is
no law: where the squared residuals, in standard errors, are more than chance gives, or where there
are no more points than numbers of the law, nothing is said. How sure a gain is, is seen by fitting
the law again to points that are drawn from their standard errors (a parametric bootstrap; Efron
1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST_POINTS", "Law", "Worth", "another", "fitted_law", "worth_of"]

FEWEST_POINTS = 4  # one more than numbers of the law
POWERS = np.geomspace(0.05, 3.0, 60)
LEAST_ERROR = 0.002  # of a mean: what is measured with less would refuse every law
NUM_SAMPLES = 500
LOW, HIGH = 2.5, 97.5
MORE_RATE = 0.4  # of the labels, at most, is "another few": no law is followed further
STEPS = (1, 2, 5)

Numbers = NDArray[np.float64]


class Law(NamedTuple):
    """error(n) = scale * n ** -power + floor."""

    scale: float
    power: float
    floor: float

    def at(self, labels: float) -> float:
        """Return the error with so many labels."""
        return float(self.scale * labels**-self.power + self.floor)


class Worth(NamedTuple):
    """By how much the error falls with more labels, with its interval of 95 %."""

    labels: int
    more: int
    value: float
    low: float
    high: float


def fitted_law(
    labels: Sequence[int], errors: Sequence[float], deviations: Sequence[float]
) -> Law | None:
    """Return the law that the points follow; None: they follow none, or are too few.

    Args:
        labels: numbers, ascending.
        errors: 1 - score, or 1 - score / 100, at each.
        deviations: standard errors of these.
    """
    if len(labels) < FEWEST_POINTS:
        return None
    x, weights = _points(labels, deviations)
    scales, powers, floors, squares = _fits(x, np.asarray([errors], np.float64), weights)
    if squares[0] > _most_squares(len(labels)):
        return None
    return Law(float(scales[0]), float(powers[0]), float(floors[0]))


def worth_of(
    labels: Sequence[int],
    errors: Sequence[float],
    deviations: Sequence[float],
    *,
    more: int | None = None,
    seed: int = 0,
) -> Worth | None:
    """Return what more labels are worth beyond the largest number; None: no law fits.

    Args:
        labels, errors, deviations: as of `fitted_law`.
        more: how many; None: a round number, less than half of those that there are.
        seed: of the samples.
    """
    law = fitted_law(labels, errors, deviations)
    if law is None:
        return None
    now = labels[-1]
    more = another(now) if more is None else more
    x, weights = _points(labels, deviations)
    noise = np.random.default_rng(seed).standard_normal((NUM_SAMPLES, len(labels)))
    drawn = np.asarray(errors, np.float64) + noise / weights
    scales, powers, *_ = _fits(x, drawn, weights)
    gains = scales * (now**-powers - (now + more) ** -powers)
    low, high = np.percentile(gains, [LOW, HIGH])
    return Worth(now, more, law.at(now) - law.at(now + more), float(low), float(high))


def another(labels: int) -> int:
    """Return a round number of labels, 1, 2 or 5 times a power of ten, that is less than half."""
    most = max(MORE_RATE * labels, 1.0)
    power = int(10 ** math.floor(math.log10(most)))
    return max(step * power for step in STEPS if step * power <= most)


def _points(labels: Sequence[int], deviations: Sequence[float]) -> tuple[Numbers, Numbers]:
    weights = 1 / np.maximum(np.asarray(deviations, np.float64), LEAST_ERROR)
    return np.asarray(labels, np.float64), weights


def _most_squares(size: int) -> float:
    """Return the sum of squares that chance exceeds in about one case of twenty."""
    freedom = size - FEWEST_POINTS + 1
    return freedom + 2 * math.sqrt(2 * freedom)


def _fits(
    x: Numbers, errors: Numbers, weights: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return scale, power, floor and squared residuals of the best law of S rows of P errors."""
    found = [_fit(x**-power, errors, weights) for power in POWERS]  # each three of (S,)
    squares = np.stack([each[2] for each in found])  # (powers, S)
    best = squares.argmin(axis=0)
    rows = np.arange(errors.shape[0])
    scales, floors = (np.stack([each[part] for each in found])[best, rows] for part in (0, 1))
    return scales, POWERS[best], floors, squares[best, rows]


def _fit(powers: Numbers, errors: Numbers, weights: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return scale, floor and squared residuals, (S,) each, for one power: (P,), (S, P), (P,)."""
    own = weights**2
    mean_x, mean_y = np.average(powers, weights=own), np.average(errors, axis=1, weights=own)
    around = powers - mean_x
    scale = (own * around * (errors - mean_y[:, None])).sum(axis=1) / (own * around**2).sum()
    floor = mean_y - scale * mean_x
    steep = (own * powers * errors).sum(axis=1) / (own * powers**2).sum()  # where the floor is 0
    scale = np.where(floor < 0, steep, scale)
    floor = np.where(scale < 0, mean_y, np.maximum(floor, 0.0))
    scale = np.maximum(scale, 0.0)
    left = errors - scale[:, None] * powers - floor[:, None]
    return scale, floor, (own * left**2).sum(axis=1)
