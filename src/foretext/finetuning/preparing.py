"""What comes once before all trainings of a run, and the time that it takes from them."""

from __future__ import annotations

from foretext.classifiers.baseline import Baseline
from foretext.finetuning.allotment import Allotment
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows

__all__ = ["prepared"]


def prepared(
    learner: Learner, rows: TaskRows, baseline: Baseline | None, allotment: Allotment | None
) -> tuple[Learner, Allotment | None]:
    """Return a learner that can begin its trainings, and the time that is left to them."""
    if allotment is None:
        return learner.prepare(rows, baseline, None).learner, None
    seeds = learner.finetuning.seeds
    each = allotment.training(seeds, resumed=learner.job.resume)
    ready, earlier = learner.prepare(rows, baseline, seeds * each.seconds)
    return ready, allotment.after(earlier)
