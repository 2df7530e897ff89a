"""Scores by number of labels: how sure they are, who is better, and where that changes.

A mean over draws of labels is uncertain in two ways. Other rows would have been measured: that is
the deviation over bootstrap samples of the measured rows, which are the same for all candidates,
numbers and draws (`foretext.comparison.intervals`). And other labels would have been drawn: that is
the standard error of the mean over draws. Both variances are added. As there are few draws, the
interval is that of Student's t, with the degrees of freedom of Satterthwaite (1946).

Candidates are compared draw by draw: they learned from the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.comparison.answers import KeptAnswers
from foretext.comparison.intervals import bootstrap

__all__ = [
    "Crossing",
    "Estimate",
    "LabelScores",
    "MeasuredCell",
    "crossing",
    "estimated",
    "t_limit",
]

Numbers = NDArray[np.float64]
CellKey = tuple[str, int]  # a candidate and a number of labels

# Two-sided limits of 95 % of Student's t, by one over the degrees of freedom.
T_LIMITS = (
    (0.0, 1.960), (1 / 30, 2.042), (1 / 15, 2.131), (1 / 10, 2.228), (1 / 8, 2.306),
    (1 / 6, 2.447), (1 / 5, 2.571), (1 / 4, 2.776), (1 / 3, 3.182), (1 / 2, 4.303), (1.0, 12.706),
)  # fmt: skip


class MeasuredCell(NamedTuple):
    """What a candidate answered that learned from one draw."""

    name: str
    labels: int
    draw: int
    answers: KeptAnswers


class Estimate(NamedTuple):
    """A figure, or a difference of two, with its interval of 95 %."""

    value: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 where the whole interval is on one side of nothing; 0: chance may explain it."""
        return (self.low > 0) - (self.high < 0)


class Crossing(NamedTuple):
    """Where the sign of a difference changes, and the numbers between which that is known."""

    labels: float
    low: int
    high: int


@dataclass(frozen=True)
class LabelScores:
    """Scores of candidates at numbers of labels.

    Attributes:
        names: of the candidates.
        labels: numbers, ascending.
        each: scores by draw.
        samples: likewise, the scores of B samples of the measured rows, (B,); {}: nobody knows what
            a row adds to the figure.
        num_rows: that were measured.
    """

    names: tuple[str, ...]
    labels: tuple[int, ...]
    each: Mapping[CellKey, Mapping[int, float]]
    samples: Mapping[CellKey, Mapping[int, Numbers]]
    num_rows: int

    @classmethod
    def measured(cls, names: Sequence[str], cells: Sequence[MeasuredCell]) -> Self:
        """Return the scores of cells, one or more, whose answers are to the same rows."""
        tallies = [each.answers.tallies for each in cells]
        known = [[own] for own in tallies if own is not None]
        drawn = bootstrap(known).samples if len(known) == len(cells) else None
        each: dict[CellKey, dict[int, float]] = {}
        samples: dict[CellKey, dict[int, Numbers]] = {}
        for number, cell in enumerate(cells):
            cell_key = cell.name, cell.labels
            score = cell.answers.score
            each.setdefault(cell_key, {})[cell.draw] = 0.0 if math.isnan(score) else score
            if drawn is not None:
                samples.setdefault(cell_key, {})[cell.draw] = drawn[:, number]
        labels = tuple(sorted({cell.labels for cell in cells}))
        shown = tuple(name for name in names if any(cell_key[0] == name for cell_key in each))
        return cls(shown, labels, each, samples, cells[0].answers.num_rows)

    def point(self, name: str, labels: int) -> Estimate | None:
        """Return the mean score of a candidate over the draws; None: it has none."""
        found = self.each.get((name, labels))
        if not found:
            return None
        draws = [*found]
        return estimated([*found.values()], self._sampled((name, labels), draws))

    def difference(self, name: str, other: str, labels: int) -> Estimate | None:
        """Return by how much a candidate is better than another; None: no draw has both."""
        own, theirs = ((each, labels) for each in (name, other))
        scores, others = self.each.get(own, {}), self.each.get(theirs, {})
        draws = [draw for draw in scores if draw in others]
        if not draws:
            return None
        first, second = self._sampled(own, draws), self._sampled(theirs, draws)
        samples = None if first is None or second is None else first - second
        each = [scores[draw] - others[draw] for draw in draws]
        return estimated(each, samples, self.num_rows)

    def deviation(self, name: str, labels: int) -> float | None:
        """Return the deviation of a candidate's scores over draws; None: of one draw."""
        scores = [*self.each.get((name, labels), {}).values()]
        return float(np.std(scores, ddof=1)) if len(scores) > 1 else None

    def best(self, labels: int) -> str | None:
        """Return the candidate with the highest mean, the first of equal ones."""
        points = {name: self.point(name, labels) for name in self.names}
        known = {name: point.value for name, point in points.items() if point is not None}
        return max(known, key=lambda name: known[name], default=None)

    def _sampled(self, cell_key: CellKey, draws: Sequence[int]) -> Numbers | None:
        """Return samples of the scores of draws, (B, D)."""
        found = self.samples.get(cell_key)
        return None if found is None else np.stack([found[draw] for draw in draws], axis=1)


def estimated(
    each: Sequence[float], samples: Numbers | None, num_rows: int | None = None
) -> Estimate:
    """Return the mean of D draws with its interval.

    Args:
        each: (D,), one or more.
        samples: of the measured rows, (B, D); None: they count as certain.
        num_rows: of a difference: then its error is never below that of equally good candidates,
            and one row is subtracted, as in `foretext.metrics.paired`. None: of a figure.
    """
    values = np.asarray(each, np.float64)
    value, size = float(values.mean()), len(values)
    of_rows = 0.0 if samples is None else float(samples.mean(axis=1).std())
    of_draws = float(values.std(ddof=1)) / math.sqrt(size) if size > 1 else 0.0
    error = math.hypot(of_rows, of_draws)
    limit = t_limit((error / of_draws) ** 4 * (size - 1) if of_draws > 0 else math.inf)
    if num_rows is None:
        return Estimate(value, value - limit * error, value + limit * error)
    reach = limit * math.hypot(error, value / math.sqrt(num_rows)) + 1 / num_rows
    return Estimate(value, value - reach, value + reach)


def t_limit(freedom: float) -> float:
    """Return how many standard errors 95 of 100 means stay within, of one degree or more."""
    inverse, limits = zip(*T_LIMITS, strict=True)
    return float(np.interp(1 / freedom, inverse, limits))


def crossing(labels: Sequence[int], differences: Sequence[Estimate | None]) -> Crossing | None:
    """Return where the sign of a difference changes for the last time; None: that is not known.

    It is known where the difference has one sign beyond its interval at one number, and the other
    sign at a larger one. Between these it is interpolated over the logarithm of the number.

    Args:
        labels: ascending.
        differences: at each of them; None: not measured.
    """
    points = [(n, each) for n, each in zip(labels, differences, strict=True) if each is not None]
    known = [cell_key for cell_key, (_, each) in enumerate(points) if each.sign]
    for first, last in zip(known[-2::-1], known[:0:-1], strict=True):
        if points[first][1].sign != points[last][1].sign:
            stretch = points[first : last + 1]
            return Crossing(_zero(stretch), stretch[0][0], stretch[-1][0])
    return None


def _zero(points: Sequence[tuple[int, Estimate]]) -> float:
    """Return where a difference is nothing that changes its sign between the ends."""
    return next(_zeros(points))


def _zeros(points: Sequence[tuple[int, Estimate]]) -> Iterator[float]:
    for (one, before), (other, after) in pairwise(points):
        if before.value * after.value <= 0 and before.value != after.value:
            share = before.value / (before.value - after.value)
            yield math.exp((1 - share) * math.log(one) + share * math.log(other))
