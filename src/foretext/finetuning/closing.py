"""The end of a run, rehearsed before its training, so that the training leaves time for it."""

from __future__ import annotations

from dataclasses import replace

from foretext.classifiers.baseline import Baseline
from foretext.finetuning.allotment import FIRST, Allotment, Cost, Costs, allot, rehearse
from foretext.finetuning.keeping import examined
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows
from foretext.report.page import make_ready

__all__ = ["allotted"]

WEIGHT_BYTES = 4


def allotted(learner: Learner, rows: TaskRows, baseline: Baseline | None) -> Allotment | None:
    """Divide the time of the command; None: it has no budget."""
    budget, job = learner.job.budget, learner.job
    if budget is None:
        return None
    if job.report is not None:
        make_ready()
    model = learner.untrained(rows)
    if model is None:
        read = len(rows.train) + len(rows.valid) + len(rows.test)
        cost = Cost(0.0, budget.elapsed / read)
        costs, fits, num_bytes = Costs(cost, cost), 0, 0
    else:
        measured = rows.test or rows.valid
        costs = rehearse(
            model.figures,
            lambda some: examined(model, replace(rows, test=some), baseline),
            measured,
            budget,
        )
        few = TaskRows(rows.train[:FIRST], rows.valid[:FIRST], rows.test[:FIRST])
        fits = learner.fits(model, few)
        num_bytes = WEIGHT_BYTES * model.num_parameters
    seeds = learner.finetuning.seeds
    found = allot(
        budget, rows, costs, seeds=seeds, fits=fits, num_bytes=num_bytes,
        has_page=job.report is not None,
    )  # fmt: skip
    if found.note is not None:
        job.warn(found.note)
    return found
