"""The baseline that a run learns beside its model, within its part of the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from foretext.classifiers.baseline import Baseline
from foretext.errors import CorpusError
from foretext.finetuning.learner import Learner
from foretext.finetuning.rehearsal import rehearsed
from foretext.finetuning.task_rows import TaskRows, sampled

__all__ = ["learned_baseline"]

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
    teaches = learner.job.recipe.teacher in ("linear", "ensemble")
    is_used = learner.finetuning.ensemble or teaches or learner.learns_words
    if budget is None or is_used or len(rows) <= FEWEST:
        return rows
    try:
        cost = rehearsed(learner.predictor.baseline, rows, budget, first=FIRST)
    except CorpusError:  # a few rows may have one label alone
        return rows
    affordable = cost.rows_in(BASELINE_RATE * budget.seconds / SUPERLINEAR)
    return sampled(rows, max(affordable, FEWEST))
