"""The turn of one candidate in one round: it pretrains, and learns the task with each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foretext.comparison.candidate import Candidate, Sections
from foretext.comparison.ledger import Ledger, Outcome, Plan, SeedOutcome
from foretext.comparison.request import CompareRequest
from foretext.comparison.shares import Answering, Stopwatch
from foretext.comparison.worker import (
    Finetune,
    FinetuneReply,
    JobFailed,
    Pretrain,
    PretrainReply,
    Worker,
)
from foretext.report.page import duration

__all__ = ["Comparing", "Turn"]

LATE_RATE, LATE_SECONDS = 1.25, 20.0  # what does not end by its budget is stopped after that
LEAST_SECONDS = 0.5  # of the budget of a job; whether that is enough is its own to say


@dataclass(frozen=True)
class Comparing:
    """A comparison while it runs: what all its turns share.

    Attributes:
        request: of the user.
        plan: what was decided.
        ledger: what is finished.
        worker: does the jobs.
        watch: counts the seconds of the comparison.
        quiet: whether the jobs show no progress.
        text_bytes: how much of the corpus is read; None: all, or what a candidate has time for.
        notes: sentences on what was decided since.
    """

    request: CompareRequest
    plan: Plan
    ledger: Ledger
    worker: Worker
    watch: Stopwatch
    quiet: bool
    text_bytes: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        """The rows that figures are of: "test", or "valid" where there are none to test on."""
        return "test" if self.plan.rows["test"] else "valid"

    @property
    def answering(self) -> Answering:
        """What all models answer at the end."""
        plan = self.plan
        return Answering(plan.rows[self.part], self.request.seeds, plan.pace, plan.row_length)

    def pretraining_settings(self, candidate: Candidate) -> Sections:
        """Return the settings over the recipe of a candidate."""
        return _over(candidate.pretraining, "corpus", self.plan.text)

    def count(self, seconds: float, began: float) -> None:
        """Count what a job took in earlier commands.

        Args:
            seconds: that it took in all.
            began: when it was asked for, by the watch.
        """
        self.watch.add(max(seconds - (self.watch() - began), 0.0))


@dataclass
class Turn:
    """A candidate in a round, and the seconds that it may use.

    Args:
        comparing: that it takes part in.
        candidate: whose turn it is.
        round: counted from 1.
        given: seconds that it may use.
    """

    comparing: Comparing
    candidate: Candidate
    round: int
    given: float
    pretrained: PretrainReply | None = None
    learned: list[FinetuneReply] = field(default_factory=list)
    failed_seconds: float = 0.0

    @property
    def pretraining_seconds(self) -> float:
        """Seconds of its pretraining."""
        return 0.0 if self.pretrained is None else self.pretrained.seconds

    @property
    def finetuning_seconds(self) -> float:
        """Seconds of all of its fine-tunings."""
        return sum(reply.seconds for reply in self.learned)

    @property
    def used(self) -> float:
        """Seconds of its jobs so far, in all commands."""
        return self.pretraining_seconds + self.finetuning_seconds + self.failed_seconds

    @property
    def left(self) -> float:
        """Seconds that it may still use."""
        return self.given - self.used

    def run(self) -> Outcome:
        """Do its jobs, or those that an earlier command has left; a failure is an outcome, too.

        Raises:
            Interrupted: a signal asked for the end; the same turn goes on from there.
        """
        try:
            base = self._base()
            for seed in range(self.comparing.request.seeds):
                self._learn(base, seed)
        except JobFailed as failure:
            self.failed_seconds = failure.seconds
            return self._outcome(self._sentence(failure))
        return self._outcome(None)

    def _sentence(self, failure: JobFailed) -> str:
        """Return why it failed; a run knows its own budget alone."""
        if failure.cause != "short":
            return str(failure)
        return (
            f"Its share of the time, {duration(self.given)}, is too short; give a longer "
            f"--budget, or fewer candidates with --only. Its run says: {failure}"
        )

    def _base(self) -> str:
        """Return what the task is learned on, pretrained here where the candidate has a recipe."""
        candidate, comparing = self.candidate, self.comparing
        if candidate.recipe is None:
            assert candidate.base is not None, candidate.name
            return candidate.base
        budget = _budget(candidate.pretraining_seconds(self.given))
        began = comparing.watch()
        job = Pretrain(
            candidate.recipe,
            tuple(comparing.plan.corpus),
            str(comparing.ledger.base(candidate, self.round)),
            settings=comparing.pretraining_settings(candidate),
            budget=budget,
            shared=str(comparing.ledger.shared),
            text_bytes=comparing.text_bytes,
            quiet=comparing.quiet,
        )
        self.pretrained = comparing.worker.run(job, limit=_limit(budget))
        comparing.count(self.pretrained.seconds, began)
        return job.out

    def _learn(self, base: str, seed: int) -> None:
        """Learn the task with one seed, in an equal part of the time that is left."""
        comparing, ledger = self.comparing, self.comparing.ledger
        budget = _budget(self.left / (comparing.request.seeds - seed))
        began = comparing.watch()
        job = Finetune(
            comparing.request.task,
            base,
            str(ledger.rows_file("train")),
            str(ledger.rows_file("valid")),
            str(ledger.run(self.candidate, self.round, seed)),
            settings=_over(self.candidate.settings, "rows", comparing.plan.reading),
            budget=budget,
            seed=comparing.request.seed + seed,
            quiet=comparing.quiet,
        )
        self.learned.append(comparing.worker.run(job, limit=_limit(budget)))
        comparing.count(self.learned[-1].seconds, began)

    def _outcome(self, sentence: str | None) -> Outcome:
        pretrained, learned = self.pretrained, self.learned
        best = max(learned, key=lambda reply: reply.score, default=None)
        memory = [reply.memory_bytes for reply in learned]
        memory += [] if pretrained is None else [pretrained.memory_bytes]
        return Outcome(
            status="finished" if sentence is None else "failed",
            sentence=sentence,
            round=self.round,
            given=self.given,
            used=self.used,
            shared=0.0 if pretrained is None else pretrained.shared_seconds,
            pretraining=self.pretraining_seconds,
            finetuning=self.finetuning_seconds,
            seeds=[
                SeedOutcome(seed, reply.score, reply.seconds) for seed, reply in enumerate(learned)
            ],
            pretraining_curve=[] if pretrained is None else list(pretrained.curve),
            curve=self._curve(),
            judged_by=None if best is None else best.judged_by,
            figures={} if best is None else best.figures,
            row_seconds=max((reply.row_seconds for reply in learned), default=0.0),
            memory_bytes=max(memory, default=None),
            disk_bytes=None if best is None else best.disk_bytes,
            parameters=None if best is None else best.parameters,
            warnings=[] if best is None else best.warnings,
        )

    def _curve(self) -> list[tuple[float, float]]:
        """Return the scores of the first seed, by the seconds since the turn began."""
        if not self.learned:
            return []
        first, before = self.learned[0], self.pretraining_seconds
        points = [(before + seconds, score) for seconds, score in first.curve]
        return points or [(before + first.seconds, first.score)]


def _budget(seconds: float) -> float:
    """Return the budget of a job; one that an earlier command began keeps what it had."""
    return round(max(seconds, LEAST_SECONDS), 2)


def _over(settings: Sections, section: str, values: Mapping[str, Any]) -> Sections:
    """Put what all candidates have in common over a section of the settings of one."""
    return {**settings, section: {**settings.get(section, {}), **values}} if values else settings


def _limit(budget: float) -> float:
    """Return after how many seconds a job is stopped that does not end by itself."""
    return LATE_RATE * budget + LATE_SECONDS
