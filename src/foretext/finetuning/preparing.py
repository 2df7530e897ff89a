"""What comes once before all trainings of a run, and the time that it takes from them."""

from __future__ import annotations

from foretext.finetuning.allotment import Allotment
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows
from foretext.tasks.baseline import Baseline

__all__ = ["prepared"]


def prepared(
    learner: Learner, rows: TaskRows, baseline: Baseline | None, allotment: Allotment | None
) -> tuple[Learner, Allotment | None]:
    """Return a learner that can begin its trainings, and the time that is left to them."""
    if allotment is None:
        return learner.prepare(rows, baseline, None).learner, None
    job, seeds = learner.job, learner.finetuning.seeds
    each = allotment.training(seeds, resumed=job.resume)
    searching = job.recipe.search_seconds or 0.0  # follows, and is a part of the command's time
    ready, earlier = learner.prepare(rows, baseline, max(seeds * each.seconds - searching, 0.0))
    return ready, allotment.after(earlier)
