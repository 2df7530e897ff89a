"""A search for settings in the time that is given for it, whose result outlives an interruption."""

from __future__ import annotations

import json
from typing import Any

from typing_extensions import TypedDict  # pydantic reads this one before Python 3.12

from foretext.base.errors import OutputError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.finetuning.learner import Found, Learner, Tell
from foretext.finetuning.task_rows import TaskRows
from foretext.progress import MetricsLog, Progress

__all__ = ["searched"]

SEARCH_FILE = "search.json"  # among the checkpoints: what an interrupted run has found


class _Kept(TypedDict):
    """The file of a search's result."""

    settings: dict[str, dict[str, Any]]
    score: float
    trials: int
    tried: dict[str, Any]


def searched(learner: Learner, rows: TaskRows) -> Found | None:
    """Search for settings, unless none is wanted, or an interrupted run has done so.

    Raises:
        ForetextError: nothing is left to try, there are no rows to judge by, or no trial ended
            well.
    """
    job, seconds = learner.job, learner.job.recipe.search_seconds
    if seconds is None:
        return None
    kept = job.run.checkpoints / SEARCH_FILE
    if job.resume and kept.is_file():
        return Found(**read_json(kept, OutputError, _Kept))
    job.run.trials.unlink(missing_ok=True)
    with (
        MetricsLog(job.run.trials) as log,
        Progress("searching", seconds, "seconds", quiet=job.quiet) as bar,
    ):
        found = learner.search(rows, seconds, _Follower(log, bar))
    with atomic_file(kept) as temporary:
        temporary.write_text(json.dumps(found._asdict()), encoding="utf-8")
    job.note(_sentence(found))
    return found


class _Follower(Tell):
    """Writes trials down, and moves the bar."""

    def __init__(self, log: MetricsLog, bar: Progress) -> None:
        self.log, self.bar = log, bar

    def __call__(self, trial: dict[str, Any], /) -> None:
        self.log.append(trial)
        scores = [trial["score"], self.bar.figures.get("best")]
        known = [score for score in scores if score is not None]
        self._advance(**({"best": max(known)} if known else {}))

    def tick(self) -> None:
        self._advance()

    def _advance(self, **figures: float) -> None:
        bar, total = self.bar, self.bar.total or 0.0
        bar.advance(max(min(bar.elapsed, total) - bar.done, 0.0), **figures)


def _sentence(found: Found) -> str:
    tried = ", ".join(
        f"{name} = {value:.3g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in found.tried.items()
    )
    return f"{found.trials} settings tried; the best scores {found.score:.4f}: {tried}"
