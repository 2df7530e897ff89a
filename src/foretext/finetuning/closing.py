"""The end of a run, rehearsed before its training, so that the training leaves time for it."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from foretext.finetuning.allotment import FIRST, Allotment, Cost, Costs, allot, rehearsed
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.writing import examined
from foretext.progress.budget import Budget
from foretext.report.page import load_libraries
from foretext.tasks.baseline import Baseline

__all__ = ["allotted"]

WEIGHT_BYTES = 4


def allotted(learner: Learner, rows: TaskRows, baseline: Baseline | None) -> Allotment | None:
    """Divide the time of the command; None: it has no budget."""
    budget, job = learner.job.budget, learner.job
    if budget is None:
        return None
    wall, work = time.monotonic(), time.process_time()
    if job.report is not None:
        load_libraries()
    costs = _costs(learner, rows, baseline, budget)
    slowness = (time.monotonic() - wall) / max(time.process_time() - work, 1e-3)
    found = allot(
        budget, rows, costs, seeds=learner.finetuning.seeds, has_page=job.report is not None,
        slowness=max(slowness, 1.0), refits=learner.refits and bool(rows.valid),
    )  # fmt: skip
    for note in found.notes:
        job.warn(note)
    return found


def _costs(learner: Learner, rows: TaskRows, baseline: Baseline | None, budget: Budget) -> Costs:
    """Rehearse all that will be done with the rows."""
    model = learner.untrained(rows)
    if model is None:
        num_rows = len(rows.train) + len(rows.valid) + len(rows.test)
        reading = Cost(0.0, budget.elapsed / num_rows)
        return Costs(reading, reading, reading)
    measured = rows.test or rows.valid
    untouched = learner.untouched(rows)
    few = TaskRows(rows.train[:FIRST], rows.valid[:FIRST], rows.test[:FIRST])
    return Costs(
        rehearsed(partial(learner.encode, model), rows.train, budget),
        rehearsed(model.figures, measured, budget),
        rehearsed(
            lambda some: examined(model, replace(rows, test=some), baseline, untouched),
            measured,
            budget,
        ),
        learner.fits(model, few),
        WEIGHT_BYTES * model.num_parameters,
    )
