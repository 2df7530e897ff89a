"""How the time of a command is divided: trainings get what measuring and writing leave them.

Where the rows to learn from, or to measure, would take too large a part of it, a sample is taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from foretext.base.errors import BudgetError, CorpusError
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.messages import listed, message
from foretext.progress.bar import seconds_in_words
from foretext.progress.budget import Budget, duration_option
from foretext.tasks.baseline import Baseline

__all__ = ["FIRST", "Allotment", "Cost", "Costs", "allot", "learned_baseline", "rehearsed"]

MEASURING_RATE = 0.3  # of the time, for measuring at the end, at most
NEARLY = 1.15  # times that, in which all rows are measured: nine in ten would be no gain
FEWEST_ROWS = 200  # that are measured of each file in any case
ENCODING_RATE = 0.15  # of the time, for encoding the rows to learn from, at most
FEWEST_LEARNED = 1000  # rows that are learned from in any case
WRITING_SECONDS = 0.1  # for the files of a run
PAGE_SECONDS = 0.6  # for its page, and for the process of the command to end
WRITING_RATE = 0.01  # of the time, what is kept free beside that
WRITTEN_BYTES = 150e6  # a second

UNKNOWN_SECONDS = 20.0  # that it may take beside a model of which nobody knows how long it takes
SHORT_SECONDS = 5.0  # that it may take beside any model
SAID_SECONDS = 2.0  # from which a note names the time before
BASELINE_RATE = 0.15  # of the time of a command, for its baseline, at most
SUPERLINEAR = 1.4  # how much longer a row of many takes than one of few, about
FIRST_ROWS, FEWEST = 64, 1000  # rows that are timed first, and from which it learns in any case

FIRST, GROWTH = 8, 4  # rows that are timed, and how many times more come next
REHEARSAL_RATE = 0.003  # of the time, by which more rows have to take longer than the first ones


class Cost(NamedTuple):
    """Seconds that something takes with a number of rows."""

    fixed: float
    per_row: float

    def of(self, num_rows: int) -> float:
        """Seconds with so many rows; 0 without any."""
        return self.fixed + self.per_row * num_rows if num_rows else 0.0

    def rows_in(self, seconds: float) -> int:
        """Return how many rows it can be done with in some time; 0: not one."""
        return max(round((seconds - self.fixed) / max(self.per_row, 1e-9)), 0)


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
                message(
                    "errors.budget.short",
                    seconds=self.budget.seconds,
                    used=used,
                    ending=ending,
                    least=duration_option(2 * (used + ending)),
                )
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
            message("findings.rows.fewer_learned", some=len(chosen.learned), every=len(rows.train))
        )
    parts = [("valid", rows.valid, chosen.valid), ("test", rows.test, chosen.test)]
    fewer = [
        message(f"findings.rows.some_{name}", some=len(some), every=len(every))
        for name, every, some in parts
        if len(some) < len(every)
    ]
    if fewer:
        notes.append(message("findings.rows.fewer_measured", rows=listed(fewer)))
    return notes


def learned_baseline(learner: Learner, rows: TaskRows) -> Baseline | None:
    """Learn the baseline of a run; None where none is wanted, or nothing can be learned."""
    if not learner.wants_baseline:
        return None
    began = time.monotonic()
    try:
        some = _affordable_rows(learner, rows.train)
        _look_at_cost(learner, some)
        learned = learner.task.baseline(some)
    except CorpusError as error:  # no reason to learn nothing else
        learner.job.note(message("notes.baseline.none", error=error))
        return None
    if learned is None:
        return None
    name = learned.name
    if len(some) < len(rows.train):
        name = f"{name}, of {len(some):,} rows"
        learner.job.note(message("notes.baseline.some", some=len(some), all=len(rows.train)))
    linear = learned.linear and learned.linear.composing(learner.form)  # an ensemble keeps it
    return replace(learned, name=name, linear=linear, seconds=time.monotonic() - began)


def _affordable_rows(learner: Learner, rows: Sequence[Any]) -> Sequence[Any]:
    """Return the rows, or a sample of them that is learned from in its part of the time.

    An ensemble answers with its baseline, it may teach, and a head may begin with it; it then
    learns from all rows.
    """
    budget = learner.job.budget
    if budget is None or _is_used(learner) or len(rows) <= FEWEST:
        return rows
    try:
        cost = rehearsed(learner.task.baseline, rows, budget, first=FIRST_ROWS)
    except CorpusError:  # a few rows may have one label alone
        return rows
    affordable = cost.rows_in(BASELINE_RATE * budget.seconds / SUPERLINEAR)
    return sampled(rows, max(affordable, FEWEST))


def _look_at_cost(learner: Learner, rows: Sequence[Any]) -> None:
    """Say how long it takes.

    Raises:
        CorpusError: that is longer than it is worth beside the model.
    """
    cost = learner.task.baseline_cost(rows)
    if cost is None:
        return
    name = message("notes.baseline.name", size=cost.size_in_words)
    longest = _longest(learner)
    if longest is not None and cost.seconds > longest.seconds:
        raise CorpusError(
            message(
                "notes.baseline.too_long",
                name=name,
                time=cost.time_in_words,
                longest=longest.name,
                remedy=longest.remedy,
            )
        )
    if cost.seconds >= SAID_SECONDS:
        learner.job.note(message("notes.baseline.first", name=name, time=cost.time_in_words))


class _Longest(NamedTuple):
    """The time that a baseline may take."""

    seconds: float
    name: str
    remedy: str


def _longest(learner: Learner) -> _Longest | None:
    """Return the time that the baseline may take; None: as long as it takes."""
    if _is_used(learner):
        return None
    if (budget := learner.job.budget) is not None:  # its rows are drawn for less than this
        return _Longest(
            budget.seconds / 2, message("notes.baseline.half"), message("notes.baseline.longer")
        )
    if learner.finetuning.baseline:
        return None
    remedy = message("notes.baseline.anyway")
    expected = learner.expected_seconds
    if expected is None:
        name = message("notes.baseline.most", seconds=UNKNOWN_SECONDS)
        return _Longest(UNKNOWN_SECONDS, name, remedy)
    name = message("notes.baseline.model", time=seconds_in_words(expected))
    return _Longest(max(expected, SHORT_SECONDS), name, remedy)


def _is_used(learner: Learner) -> bool:
    """Whether the model needs the baseline: it answers with it, is taught by it, or begins so."""
    teaches = learner.job.recipe.teacher in ("linear", "ensemble")
    return bool(learner.finetuning.ensemble or teaches or learner.learns_words)


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
