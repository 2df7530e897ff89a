"""How the time of a command is divided: trainings get what measuring and writing leave them.

Where the rows to learn from, or to measure, would take too large a part of it, a sample is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from foretext.base.errors import BudgetError
from foretext.finetuning.rehearsal import Cost
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.progress.budget import Budget, duration_option

__all__ = ["Allotment", "Costs", "allot"]

MEASURING_RATE = 0.3  # of the time, for measuring at the end, at most
NEARLY = 1.15  # times that, in which all rows are measured: nine in ten would be no gain
FEWEST_ROWS = 200  # that are measured of each file in any case
ENCODING_RATE = 0.15  # of the time, for encoding the rows to learn from, at most
FEWEST_LEARNED = 1000  # rows that are learned from in any case
WRITING_SECONDS = 0.1  # for the files of a run
PAGE_SECONDS = 0.6  # for its page, and for the process of the command to end
WRITING_RATE = 0.01  # of the time, what is kept free beside that
WRITTEN_BYTES = 150e6  # a second


class Costs(NamedTuple):
    """What will be done with rows."""

    encoding: Cost  # of rows to learn from, before the first step
    figures: Cost  # to answer rows and judge the answers
    examination: Cost  # the same, with the baseline and all that the page shows
    fits: int = 0  # how often held-out rows are answered to fit something by
    num_bytes: int = 0  # that are written


@dataclass(frozen=True)
class Allotment:
    """What each part of a run has of its time.

    Attributes:
        budget: of the command.
        rows: with as many as can be learned from, and measured.
        after_each: seconds between the end of a training and the next one.
        closing: seconds between the last training and the end of the command.
        writing: of these, the seconds after the last figures.
        refits: whether one more training follows the figures, with all rows.
        notes: say which rows are learned from and measured, where these are not all.
    """

    budget: Budget
    rows: TaskRows
    after_each: float
    closing: float
    writing: float = 0.0
    refits: bool = False
    notes: Sequence[str] = ()

    def training(self, seeds_left: int, before: float = 0.0, *, resumed: bool = False) -> Budget:
        """Return the time of the next training, with what it prepares.

        Args:
            seeds_left: this training and those after it.
            before: seconds that trainings of this run took in earlier commands.
            resumed: whether this one may have been trained already, and needs no time.

        Raises:
            BudgetError: there is no time for it.
        """
        left = self.budget.left - before - self.closing - seeds_left * self.after_each
        if left <= 0 and not resumed:
            used = self.budget.elapsed + before
            ending = self.closing + seeds_left * self.after_each
            raise BudgetError(
                f"--budget {self.budget.seconds:g}s is too short: reading and preparing took "
                f"{used:.1f} s, and measuring and writing will take {ending:.1f} s; give at least "
                f"{duration_option(2 * (used + ending))}."
            )
        return self._share(left / (seeds_left + self.refits))

    def after(self, seconds: float) -> Allotment:
        """Return what is left where an interrupted command took some of the time already."""
        began = self.budget.began - seconds
        return replace(self, budget=replace(self.budget, began=began))

    def refitting(self) -> Budget:
        """Return the time of the training with all rows."""
        return self._share(self.budget.left - self.writing)

    def _share(self, seconds: float) -> Budget:
        return Budget.started(max(seconds, 1e-3), clock=self.budget.clock)


def allot(
    budget: Budget,
    rows: TaskRows,
    costs: Costs,
    *,
    seeds: int,
    has_page: bool,
    slowness: float = 1.0,
    refits: bool = False,
) -> Allotment:
    """Divide the time of a command.

    Args:
        budget: of the command.
        rows: that were read.
        costs: of what is done with them.
        seeds: trainings.
        has_page: whether a page is written.
        slowness: of this process, which shares the machine: its time, by that of its work.
        refits: whether a training with all rows follows the figures.
    """
    measured = _affordable(rows, costs, seeds, MEASURING_RATE * budget.seconds)
    affordable = costs.encoding.rows_in(ENCODING_RATE * budget.seconds / seeds)
    if affordable < len(rows.train):
        some = sampled(rows.train, max(affordable, FEWEST_LEARNED))
        measured = replace(measured, some=some)
    after_each, closing = _measuring(measured, costs, seeds)
    writing = slowness * (WRITING_SECONDS + PAGE_SECONDS * has_page)
    writing += costs.num_bytes / WRITTEN_BYTES + WRITING_RATE * budget.seconds
    return Allotment(
        budget, measured, after_each, closing + writing, writing, refits, _notes(rows, measured)
    )


def _measuring(rows: TaskRows, costs: Costs, seeds: int) -> tuple[float, float]:
    """Return the seconds of measuring after each training, and at the end."""
    valid, test = len(rows.valid), len(rows.test)
    after_each = costs.figures.of(valid)
    closing = costs.fits * after_each + costs.examination.of(test or valid)
    if test:
        closing += costs.examination.per_row * valid + (seeds - 1) * costs.figures.of(test)
    return after_each, closing


def _affordable(rows: TaskRows, costs: Costs, seeds: int, seconds: float) -> TaskRows:
    """Return the rows, or samples of the held-out and test rows that fit into a time."""
    after_each, closing = _measuring(rows, costs, seeds)
    needed = seeds * after_each + closing
    if needed <= NEARLY * seconds:
        return rows
    rate = seconds / needed
    valid, test = (
        sampled(part, max(int(rate * len(part)), FEWEST_ROWS)) for part in (rows.valid, rows.test)
    )
    return replace(rows, valid=valid, test=test)


def _notes(rows: TaskRows, chosen: TaskRows) -> list[str]:
    notes = []
    if len(chosen.learned) < len(rows.train):
        notes.append(
            f"{len(chosen.learned):,} of {len(rows.train):,} rows are learned from, drawn at "
            "random, as the budget allows; a longer --budget learns from all"
        )
    parts = [("held-out", rows.valid, chosen.valid), ("test", rows.test, chosen.test)]
    fewer = [
        f"{len(some):,} of {len(every):,} {name} rows"
        for name, every, some in parts
        if len(some) < len(every)
    ]
    if fewer:
        notes.append(
            f"{' and '.join(fewer)} are measured, drawn at random, as the budget allows; a longer "
            "--budget, or foretext evaluate RUN FILE, measures all"
        )
    return notes
