"""How sure figures are, and whether candidates differ, by a paired bootstrap over the same rows.

Many samples of the rows are drawn with replacement (Efron 1979), the same for every candidate
(Koehn 2004, section 4), and where a candidate has several seeds, these are drawn too. Intervals are
percentiles of the samples.

The best of many candidates was also lucky. So a candidate is worse than the best one only where the
difference is larger, in standard errors, than the largest of its differences to all others that
chance gives in 19 of 20 samples: simultaneous intervals as Dunnett's (1955), with the bootstrap in
place of the normal distribution. A candidate that is as good as any is then called worse in one
comparison of twenty at most.

With few rows the samples say too little. So a standard error is never below that of equally good
candidates, and one row is subtracted, as in McNemar's test (see `foretext.metrics.paired`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.metrics.paired import Tallies

__all__ = ["Difference", "Interval", "Samples", "bootstrap"]

Numbers = NDArray[np.float64]

NUM_SAMPLES, FEWEST_SAMPLES = 2000, 400
MOST_DRAWS = 20_000_000  # rows that are drawn in all, some tenths of a second
BLOCK_DRAWS = 4_000_000  # that are held at once
LOW, HIGH = 2.5, 97.5  # percentiles
THREE = 3.0
TWO_SIDED = 1.96  # standard errors, where one candidate is compared with one


class Interval(NamedTuple):
    """In which a figure lies in 95 of 100 such measurements."""

    low: float
    high: float


class Difference(NamedTuple):
    """By how much one candidate is better than another."""

    value: float
    low: float  # of all differences to that other at once
    high: float
    p_value: float  # how often chance gives one that is as large, to any candidate

    @property
    def is_tie(self) -> bool:
        """Whether chance explains it."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class Samples:
    """Figures of C candidates.

    Attributes:
        values: of all rows, the means of the seeds.
        samples: of B samples of the rows and seeds.
        num_rows: of the figures.
    """

    values: Numbers  # (C,)
    samples: Numbers  # (B, C)
    num_rows: int

    def interval(self, candidate: int) -> Interval:
        """Return the interval of a candidate's figure.

        Where all answers are right, or all wrong, samples say nothing: then three of N rows may be
        otherwise (Hanley & Lippman-Hand 1983).
        """
        low, high = np.percentile(self.samples[:, candidate], [LOW, HIGH])
        if low < high:
            return Interval(float(low), float(high))
        rate = min(THREE / self.num_rows, 1.0)
        return Interval(float(low) * (1 - rate), float(high) or rate)

    def against(self, best: int) -> list[Difference]:
        """Return the difference of each candidate to the best one, all at once."""
        return [self._against(candidate, best) for candidate in range(len(self.values))]

    def _against(self, candidate: int, best: int) -> Difference:
        if candidate == best:
            return Difference(0.0, 0.0, 0.0, 1.0)
        value = float(self.values[candidate] - self.values[best])
        by_chance = self._largest(candidate)
        limit = max(TWO_SIDED, float(np.quantile(by_chance, 0.95)))
        error = float(np.hypot(self._errors(candidate)[best], value / sqrt(self.num_rows)))
        size = max(abs(value) - 1 / self.num_rows, 0.0) / error if error else 0.0
        rarer = int((by_chance >= size).sum())
        p_value = max((rarer + 1) / (len(by_chance) + 1), erfc(size / sqrt(2)))
        reach = limit * error + 1 / self.num_rows
        return Difference(value, value - reach, value + reach, p_value)

    def _largest(self, candidate: int) -> Numbers:
        """Return, of each sample, the largest error of a difference to a candidate, (B,)."""
        around = self.samples - self.values
        errors = self._errors(candidate)
        differences = np.abs(around - around[:, [candidate]])  # (B, C)
        relative = np.divide(differences, errors, out=np.zeros_like(differences), where=errors > 0)
        largest: Numbers = relative.max(axis=1)
        return largest

    def _errors(self, candidate: int) -> Numbers:
        """Return the standard error of the difference of each candidate to one, (C,)."""
        errors: Numbers = (self.samples - self.samples[:, [candidate]]).std(axis=0)
        return errors


def bootstrap(
    candidates: Sequence[Sequence[Tallies]], *, num_samples: int | None = None, seed: int = 0
) -> Samples:
    """Draw samples of rows and seeds, and measure all candidates on them.

    Args:
        candidates: tallies of each seed of each candidate, one or more, all of the same rows.
        num_samples: how often rows are drawn; None: as often as a moment allows.
        seed: of the draws; equal tallies give equal samples.
    """
    flat = [tallies for seeds in candidates for tallies in seeds]
    parts = np.concatenate([tallies.parts for tallies in flat], axis=1)  # (N, K of all)
    size = len(parts)
    number = num_samples or max(FEWEST_SAMPLES, min(NUM_SAMPLES, MOST_DRAWS // size))
    rng = np.random.default_rng(seed)
    sums = np.concatenate([_sums(block, parts, rng) for block in _blocks(number, size)])
    columns = [tallies.parts.shape[1] for tallies in flat]
    ends = np.cumsum(columns)
    figures = iter(
        (tallies.figure(parts[:, begin:end].sum(axis=0)), tallies.figure(sums[:, begin:end]))
        for tallies, begin, end in zip(flat, ends - columns, ends, strict=True)
    )
    values, samples = [], []
    for seeds in candidates:
        measured = [next(figures) for _ in seeds]
        values.append(np.mean([whole for whole, _ in measured]))
        samples.append(_of_seeds(np.stack([each for _, each in measured], axis=1), rng))
    return Samples(np.array(values), np.stack(samples, axis=1), size)


def _blocks(number: int, size: int) -> list[int]:
    """Divide a number of samples into parts that are drawn at once."""
    block = max(1, BLOCK_DRAWS // size)
    return [min(block, number - done) for done in range(0, number, block)]


def _sums(number: int, parts: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the sums of so many samples of N rows, (B, K)."""
    size = len(parts)
    rows = rng.integers(size, size=(number, size)) + size * np.arange(number)[:, None]
    counts = np.bincount(rows.ravel(), minlength=number * size).reshape(number, size)
    summed: Numbers = counts.astype(np.float64) @ parts
    return summed


def _of_seeds(figures: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the mean of S seeds drawn with replacement, (B,), of figures (B, S)."""
    number, seeds = figures.shape
    if seeds == 1:
        return figures[:, 0]
    drawn = rng.integers(seeds, size=(number, seeds))
    means: Numbers = np.take_along_axis(figures, drawn, axis=1).mean(axis=1)
    return means
