"""A run kept to the time of its command: what reading, training and the end get of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from foretext.base.errors import OutputError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import read_json
from foretext.corpus.blocks import Beginning
from foretext.messages import message
from foretext.pretraining.job import PretrainingJob
from foretext.pretraining.plan.times import LOADING_SECONDS, READING_RATE, Closing, training_seconds
from foretext.progress import human_seconds
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import BYTES_A_SECOND
from foretext.report.page import load_libraries
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder

__all__ = ["begun", "keep_budget", "kept_budget", "reading", "with_training_time"]

KEPT = "budget.json"  # among the checkpoints: a finished run has no use for it
COUNTING_RATE = 0.6  # of the time for reading: the first of two passes
FEWEST_SECONDS = 0.5  # of reading, at least: some text has to be there


class _Kept(BaseModel):
    """``checkpoints/budget.json``."""

    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)]


def begun(job: PretrainingJob, seconds: float) -> PretrainingJob:
    """Return the job with a budget, counted from the beginning of its command.

    What would take too much of it is left out, with a note: the page, or its map of words.
    """
    wanted = job.report is not None
    closing = Closing.fitting(seconds, page=wanted, word_map=job.recipe.kind.has_word_map)
    report = partial(write_report, word_map=closing.word_map) if closing.page else None
    if wanted and not closing.page:
        job.note(_left_out("page", seconds, job))
    elif wanted and job.recipe.kind.has_word_map and not closing.word_map:
        job.note(_left_out("map", seconds, job))
    job = replace(job, budget=Budget(seconds, job.began), closing=closing, report=report)
    if job.is_fixed or not job.recipe.kind.reads_text:
        return job
    return replace(job, beginning=Beginning(job.text()))


@contextmanager
def reading(job: PretrainingJob, *, passes: int) -> Iterator[None]:
    """Read no more text within than the budget has time for; a note says how much that is.

    Args:
        job: whose corpus is read.
        passes: over the text, of which this is the first.
    """
    text, budget = job.beginning, job.budget
    if budget is None or text is None or job.is_fixed:
        yield
        return
    is_known = text.limit is not None  # by a plan, or by an earlier pass
    share = COUNTING_RATE if passes > 1 else 1.0
    now = budget.elapsed
    until = now + max(share * (READING_RATE * budget.seconds - now), FEWEST_SECONDS)
    with text.stopped(lambda: budget.elapsed >= until):
        yield
    if text.share < 1 and not is_known:
        job.note(
            message(
                "notes.pretrain.part_of_text", rate=text.share, time=human_seconds(budget.seconds)
            )
        )


def with_training_time(job: PretrainingJob, num_bytes: float = 0.0) -> PretrainingJob:
    """Return the job with the seconds that its training gets from now on, written to the run.

    Args:
        job: of any kind; without a budget nothing changes.
        num_bytes: that are written after the training, beside its last checkpoint.

    Raises:
        SettingError: no time is left.
    """
    if job.budget is None:
        return job
    pace = _load_page(job)
    closing = job.closing.seconds(pace) + (num_bytes / BYTES_A_SECOND if job.keep else 0.0)
    left = round(training_seconds(job.budget.seconds, job.budget.elapsed, closing), 2)
    recipe = job.recipe.with_budget(left)
    with atomic_file(job.run.recipe) as temporary:
        recipe.save(temporary)
    job.run.note(f"{left:.1f} s of the budget are left for the training")
    return replace(job, recipe=recipe, limit=Budget.started(left, clock=job.budget.clock))


def keep_budget(job: PretrainingJob) -> None:
    """Write the budget beside the checkpoints, to be compared when the run is resumed."""
    if job.budget is not None:
        with atomic_file(_path(job.run)) as temporary:
            temporary.write_text(
                json.dumps({"seconds": job.budget.seconds}) + "\n", encoding="utf-8", newline="\n"
            )


def kept_budget(run: RunFolder) -> float | None:
    """Return the budget that an unfinished run began with, in seconds; None: it has none.

    Raises:
        OutputError: the file is damaged.
    """
    if not is_regular_file(_path(run)):
        return None
    kept: _Kept = read_json(_path(run), OutputError, _Kept)
    return kept.seconds


def _path(run: RunFolder) -> Path:
    return run.checkpoints / KEPT


def _load_page(job: PretrainingJob) -> float:
    """Load what draws the page, and return how many times as slow as usual that is."""
    if not job.closing.page:
        return 1.0
    assert job.budget is not None
    before = job.budget.elapsed
    load_libraries()
    return max((job.budget.elapsed - before) / LOADING_SECONDS, 1.0)


def _left_out(what: str, seconds: float, job: PretrainingJob) -> str:
    known = {"time": human_seconds(seconds), "run": job.run.named}
    return message(f"notes.pretrain.no_{what}", **known)
