"""How the time of a command is divided: trainings get what measuring and writing leave them.

The end of a run is rehearsed before its training: an untrained model answers a few rows, and is
examined as the trained one will be. So it is known how long that takes, and the training ends early
enough. Where the rows to measure would take too large a part of the time, a sample of them is
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from foretext.errors import SettingError
from foretext.finetuning.task_rows import TaskRows
from foretext.progress.budget import Budget, duration_option

__all__ = ["Allotment", "Cost", "Costs", "allot", "rehearse", "rehearsed", "sampled"]

MEASURING_RATE = 0.3  # of the time, for measuring at the end, at most
FEWEST_ROWS = 200  # that are measured of each file in any case
WRITING_SECONDS = 0.1  # for the files of a run
PAGE_SECONDS = 0.9  # for its page, and for the process of the command to end
WRITING_RATE = 0.005  # of the time, what is kept free beside that
WRITTEN_BYTES = 150e6  # a second
FIRST, GROWTH = 8, 4  # rows that are timed, and how many times more come next
REHEARSAL_RATE = 0.003  # of the time, for the longest rehearsal of one thing, at least
SAMPLE_SEED = 20_061_015


class Cost(NamedTuple):
    """Seconds that something takes with a number of rows."""

    fixed: float
    per_row: float

    def of(self, num_rows: int) -> float:
        """Seconds with so many rows; 0 without any."""
        return self.fixed + self.per_row * num_rows if num_rows else 0.0


class Costs(NamedTuple):
    """What measuring will take."""

    figures: Cost  # to answer rows and judge the answers
    examination: Cost  # the same, with the baseline and all that the page shows


@dataclass(frozen=True)
class Allotment:
    """What each part of a run has of its time.

    Attributes:
        budget: of the command.
        rows: with as many held-out rows and test rows as can be measured.
        after_each: seconds between the end of a training and the next one.
        closing: seconds between the last training and the end of the command.
        note: says which rows are measured; None: all.
    """

    budget: Budget
    rows: TaskRows
    after_each: float
    closing: float
    note: str | None = None

    def training(self, seeds_left: int, before: float = 0.0, *, resumed: bool = False) -> Budget:
        """Return the time of the next training, with what it prepares.

        Args:
            seeds_left: this training and those after it.
            before: seconds that trainings of this run took in earlier commands.
            resumed: whether this one may have been trained already, and needs no time.

        Raises:
            SettingError: there is no time for it.
        """
        left = self.budget.left - before - self.closing - seeds_left * self.after_each
        if left <= 0 and not resumed:
            used = self.budget.elapsed + before
            ending = self.closing + seeds_left * self.after_each
            raise SettingError(
                f"--budget {self.budget.seconds:g}s is too short: reading and preparing took "
                f"{used:.1f} s, and measuring and writing will take {ending:.1f} s; give at least "
                f"{duration_option(2 * (used + ending))}."
            )
        return Budget.started(max(left / seeds_left, 1e-3), clock=self.budget.clock)


def allot(
    budget: Budget,
    rows: TaskRows,
    costs: Costs,
    *,
    seeds: int,
    fits: int,
    num_bytes: int,
    has_page: bool,
) -> Allotment:
    """Divide the time of a command.

    Args:
        budget: of the command.
        rows: that were read.
        costs: of measuring.
        seeds: trainings.
        fits: how often the held-out rows are answered to fit something by.
        num_bytes: of the model.
        has_page: whether a page is written.
    """
    measured = _affordable(rows, costs, seeds, fits, MEASURING_RATE * budget.seconds)
    after_each, closing = _measuring(measured, costs, seeds, fits)
    writing = WRITING_SECONDS + PAGE_SECONDS * has_page + num_bytes / WRITTEN_BYTES
    closing += writing + WRITING_RATE * budget.seconds
    return Allotment(budget, measured, after_each, closing, _note(rows, measured))


def rehearse(
    figures: Callable[[Sequence[Any]], object],
    examination: Callable[[Sequence[Any]], object],
    rows: Sequence[Any],
    budget: Budget,
) -> Costs:
    """Measure how long it takes to answer and to examine rows.

    Args:
        figures: answers rows and judges the answers.
        examination: examines rows.
        rows: of the kind that will be measured.
        budget: of the command.
    """
    return Costs(rehearsed(figures, rows, budget), rehearsed(examination, rows, budget))


def rehearsed(
    action: Callable[[Sequence[Any]], object],
    rows: Sequence[Any],
    budget: Budget,
    *,
    first: int = FIRST,
) -> Cost:
    """Time an action with more and more rows; the first and the last time make a line.

    Args:
        action: that will be done with all of the rows.
        rows: are drawn at random.
        budget: of the command.
        first: rows that are timed first.
    """
    if not rows:
        return Cost(0.0, 0.0)
    drawn = sampled(rows, len(rows), in_order=False)
    action(drawn[:first])  # makes the kernels ready

    def timed(size: int) -> float:
        began = budget.elapsed
        action(drawn[:size])
        return budget.elapsed - began

    times: list[tuple[int, float]] = []
    size = min(first, len(drawn))
    while True:
        times.append((size, timed(size)))
        more = times[-1][1] - times[0][1]  # than the few rows took
        if size == len(drawn) or more >= REHEARSAL_RATE * budget.seconds:
            break
        size = min(GROWTH * size, len(drawn))
    (few, short), (many, long) = times[0], times[-1]
    if many == few:
        return Cost(0.0, long / many)
    long = min(long, timed(many))  # another program may have had a moment
    per_row = max(long - short, 0.0) / (many - few)
    return Cost(max(short - few * per_row, 0.0), per_row)


def _measuring(rows: TaskRows, costs: Costs, seeds: int, fits: int) -> tuple[float, float]:
    """Return the seconds of measuring after each training, and at the end."""
    valid, test = len(rows.valid), len(rows.test)
    after_each = costs.figures.of(valid)
    closing = fits * after_each + costs.examination.of(test or valid)
    if test:
        closing += costs.examination.per_row * valid + (seeds - 1) * costs.figures.of(test)
    return after_each, closing


def _affordable(rows: TaskRows, costs: Costs, seeds: int, fits: int, seconds: float) -> TaskRows:
    """Return the rows, or samples of the held-out and test rows that fit into a time."""
    after_each, closing = _measuring(rows, costs, seeds, fits)
    needed = seeds * after_each + closing
    if needed <= seconds:
        return rows
    rate = seconds / needed
    valid, test = (
        sampled(part, max(int(rate * len(part)), FEWEST_ROWS)) for part in (rows.valid, rows.test)
    )
    return replace(rows, valid=valid, test=test)


def sampled(rows: Sequence[Any], size: int, *, in_order: bool = True) -> Sequence[Any]:
    """Return rows drawn at random, the same ones each time; a smaller sample is in a larger one."""
    if in_order and size >= len(rows):
        return rows
    drawn = np.random.default_rng(SAMPLE_SEED).permutation(len(rows))[:size]
    return [rows[index] for index in (np.sort(drawn) if in_order else drawn).tolist()]


def _note(rows: TaskRows, measured: TaskRows) -> str | None:
    parts = [("held-out", rows.valid, measured.valid), ("test", rows.test, measured.test)]
    fewer = [
        f"{len(some):,} of {len(every):,} {name} rows"
        for name, every, some in parts
        if len(some) < len(every)
    ]
    if not fewer:
        return None
    return (
        f"{' and '.join(fewer)} are measured, drawn at random, as the budget allows; a longer "
        "--budget, or foretext evaluate RUN FILE, measures all"
    )
