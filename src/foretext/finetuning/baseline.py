"""The baseline that a run learns beside its model, within its part of the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.finetuning.learner import Learner
from foretext.finetuning.rehearsal import rehearsed
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.progress.bar import seconds_in_words
from foretext.tasks.baseline import Baseline

__all__ = ["UNKNOWN_SECONDS", "learned_baseline"]

UNKNOWN_SECONDS = 20.0  # that it may take beside a model of which nobody knows how long it takes
SHORT_SECONDS = 5.0  # that it may take beside any model
SAID_SECONDS = 2.0  # from which a note names the time before
BASELINE_RATE = 0.15  # of the time of a command, for its baseline, at most
SUPERLINEAR = 1.4  # how much longer a row of many takes than one of few, about
FIRST, FEWEST = 64, 1000  # rows that are timed first, and from which it learns in any case


def learned_baseline(learner: Learner, rows: TaskRows) -> Baseline | None:
    """Learn the baseline of a run; None where none is wanted, or nothing can be learned."""
    if not learner.wants_baseline:
        return None
    began = time.monotonic()
    try:
        some = _affordable(learner, rows.train)
        _look_at_cost(learner, some)
        learned = learner.predictor.baseline(some)
    except CorpusError as error:  # no reason to learn nothing else
        learner.job.note(f"there is no baseline: {error}")
        return None
    if learned is None:
        return None
    name = learned.name
    if len(some) < len(rows.train):
        name = f"{name}, of {len(some):,} rows"
        learner.job.note(
            f"the baseline learns from {len(some):,} of {len(rows.train):,} rows, drawn at random, "
            "as the budget allows"
        )
    linear = learned.linear and learned.linear.composing(learner.form)  # an ensemble keeps it
    return replace(learned, name=name, linear=linear, seconds=time.monotonic() - began)


def _affordable(learner: Learner, rows: Sequence[Any]) -> Sequence[Any]:
    """Return the rows, or a sample of them that is learned from in its part of the time.

    An ensemble answers with its baseline, it may teach, and a head may begin with it; it then
    learns from all rows.
    """
    budget = learner.job.budget
    if budget is None or _is_used(learner) or len(rows) <= FEWEST:
        return rows
    try:
        cost = rehearsed(learner.predictor.baseline, rows, budget, first=FIRST)
    except CorpusError:  # a few rows may have one label alone
        return rows
    affordable = cost.rows_in(BASELINE_RATE * budget.seconds / SUPERLINEAR)
    return sampled(rows, max(affordable, FEWEST))


def _look_at_cost(learner: Learner, rows: Sequence[Any]) -> None:
    """Say how long it takes.

    Raises:
        CorpusError: that is longer than it is worth beside the model.
    """
    cost = learner.predictor.baseline_cost(rows)
    if cost is None:
        return
    name = f"a linear classifier of {cost.size_in_words}"
    longest = _longest(learner)
    if longest is not None and cost.seconds > longest.seconds:
        raise CorpusError(
            f"{name} would take about {cost.time_in_words}, longer than {longest.name}; "
            f"{longest.remedy}"
        )
    if cost.seconds >= SAID_SECONDS:
        learner.job.note(f"first the baseline is learned: {name} takes about {cost.time_in_words}")


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
        return _Longest(budget.seconds / 2, "half of the time", "give a longer --budget")
    if learner.finetuning.baseline:
        return None
    remedy = "set finetuning.baseline=true to train it anyway"
    expected = learner.expected_seconds
    if expected is None:
        name = f"the {UNKNOWN_SECONDS:.0f} seconds that a baseline may take"
        return _Longest(UNKNOWN_SECONDS, name, remedy)
    name = f"the model itself (about {seconds_in_words(expected)})"
    return _Longest(max(expected, SHORT_SECONDS), name, remedy)


def _is_used(learner: Learner) -> bool:
    """Whether the model needs the baseline: it answers with it, is taught by it, or begins so."""
    teaches = learner.job.recipe.teacher in ("linear", "ensemble")
    return bool(learner.finetuning.ensemble or teaches or learner.learns_words)
