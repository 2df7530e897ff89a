"""A worker that learns nothing: it moves a clock, and replies with the scores that a test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from foretext.comparison.answers import KeptAnswers
from foretext.comparison.worker import (
    Answer,
    AnswerReply,
    Cause,
    Finetune,
    FinetuneReply,
    JobFailed,
    Prepare,
    PrepareReply,
    Pretrain,
    PretrainReply,
    Worker,
)
from foretext.metrics.paired import share_tallies


class Clock:
    """Shows what a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@dataclass
class FakeWorker(Worker):
    """Uses up the budget of every job, and keeps what it was asked for.

    Args:
        clock: that it moves.
        scores: of the held-out rows, by the name of the candidate's folder.
        quick: seconds of candidates that end by themselves, likewise.
        failing: names of the folders of candidates whose jobs fail.
        cause: why.
        before: is called before each job.
    """

    clock: Clock
    scores: Mapping[str, float] = field(default_factory=dict)
    quick: Mapping[str, float] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    cause: Cause = "memory"
    before: Callable[[Any], None] = lambda job: None
    jobs: list[Any] = field(default_factory=list)

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def run(self, job: Any, *, limit: float | None = None) -> Any:
        """Move the clock and reply."""
        self.before(job)
        self.jobs.append(job)
        if isinstance(job, Prepare):
            self.clock.now += 2.0
            return PrepareReply(2.0, 5000, 0.5)
        name = _name(job)
        if name in self.failing:
            self.clock.now += 1.0
            raise JobFailed(f"{name} ran out of memory.", self.cause, 1.0)
        if isinstance(job, Answer):
            self.clock.now += 0.5
            return _answered(job)
        seconds = self.quick.get(name, job.budget)
        self.clock.now += seconds
        if isinstance(job, Pretrain):
            return PretrainReply(seconds, 0.5, 2000, 100, 10, [(seconds, 2.5)])
        assert isinstance(job, Finetune)
        if job.answers is not None:
            _keep_answers(job.valid, job.answers)
        score = self.scores.get(name, 0.5) + 0.01 * job.seed
        figures = {"accuracy": score}
        curve = [(seconds / 2, score / 2)]
        return FinetuneReply(seconds, 1000, 100, 10, "accuracy", score, figures, curve, [], 0.001)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The kind of each job, and whose it was."""
        return [(job.kind, _name(job)) for job in self.jobs]


def _answered(job: Answer) -> AnswerReply:
    """Answer half of the rows rightly."""
    _keep_answers(job.rows, job.out)
    return AnswerReply(0.5, "accuracy", 0.5, {"accuracy": 0.5}, 1.0, 0.5, 1000)


def _keep_answers(file: str, folder: str) -> None:
    rows = Path(file).read_bytes().count(b"\n")
    tallies = share_tallies(np.arange(rows) % 2)
    KeptAnswers(rows, "accuracy", {"accuracy": 0.5}, tallies, []).save(Path(folder))


def _name(job: Any) -> str:
    parts = Path(job.out).parts
    return parts[parts.index("candidates") + 1]
