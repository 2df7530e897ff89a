"""The turn of one candidate in one round: it pretrains, and learns the task with each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from foretext.base.terminal import say
from foretext.comparison.candidate import UNTOUCHED, Candidate, Sections
from foretext.comparison.cells import Cell, cells_of, total_weight
from foretext.comparison.ledger import CellOutcome, Ledger, Outcome, Plan, SeedOutcome
from foretext.comparison.request import CompareRequest
from foretext.comparison.shares import ROW_SECONDS, Answering, Stopwatch
from foretext.comparison.worker import (
    Finetune,
    FinetuneReply,
    JobFailed,
    Pretrain,
    PretrainReply,
    Worker,
)
from foretext.finetuning.base_names import EMBEDDINGS
from foretext.messages import message
from foretext.report.page import duration

__all__ = ["Comparing", "Turn"]

LATE_RATE, LATE_SECONDS = 1.25, 20.0  # what does not end by its budget is stopped after that
LEAST_SECONDS = 0.5  # of the budget of a job; whether that is enough is its own to say
LEAST_CELL_SECONDS = 2.0  # likewise, of one with few labels
ANSWERING_RATE = 0.3  # of the time of a cell, at most, that is kept free for its answers


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
        return Answering(plan.rows[self.part], len(self.last_cells), plan.pace, plan.row_length)

    @cached_property
    def cells(self) -> list[Cell]:
        """The fine-tunings of each candidate, in their order."""
        request, plan = self.request, self.plan
        return cells_of(plan.labels, plan.rows["train"], draws=request.draws, seeds=request.seeds)

    @property
    def last_cells(self) -> list[Cell]:
        """Those with the most labels, whose models are kept."""
        return [cell for cell in self.cells if cell.is_last]

    @property
    def num_measured(self) -> int:
        """How many rows the cells of a curve answer."""
        number = self.ledger.num_measured
        assert number is not None, "it is decided before the first turn"
        return number

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
    learned: list[FinetuneReply] = field(default_factory=list)  # with the most labels
    cells: list[CellOutcome] = field(default_factory=list)  # with fewer
    row_seconds: float = ROW_SECONDS  # of an answer of the newest model
    failed_seconds: float = 0.0

    @property
    def pretraining_seconds(self) -> float:
        """Seconds of its pretraining."""
        return 0.0 if self.pretrained is None else self.pretrained.seconds

    @property
    def finetuning_seconds(self) -> float:
        """Seconds of all of its fine-tunings."""
        last, others = ([each.seconds for each in own] for own in (self.learned, self.cells))
        return sum(last) + sum(others)

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
            cells = self.comparing.cells
            for place, cell in enumerate(cells):
                seconds = self.left * cell.weight / total_weight(cells[place:])
                if cell.is_last:
                    self.learned.append(self._learn(base, cell, seconds))
                else:
                    self._learn_few(base, cell, seconds)
        except JobFailed as failure:
            self.failed_seconds = failure.seconds
            return self._outcome(self._sentence(failure))
        return self._outcome(None)

    def _sentence(self, failure: JobFailed) -> str:
        """Return why it failed; a run knows its own budget alone."""
        if failure.cause != "short":
            return str(failure)
        given = duration(self.given)
        return message("findings.status.short_share", given=given, failure=failure)

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

    def _learn_few(self, base: str, cell: Cell, seconds: float) -> None:
        """Learn the task with fewer labels; what fails there may succeed with more."""
        found, sentence = None, None
        try:
            reply = self._learn(base, cell, max(seconds, LEAST_CELL_SECONDS))
            found, took = reply.score, reply.seconds
        except JobFailed as failure:
            sentence, took = self._sentence(failure), failure.seconds
        self.cells.append(CellOutcome(cell.labels, cell.draw, found, took, sentence))
        self._tell(self.cells[-1])

    def _tell(self, cell: CellOutcome) -> None:
        """Say in a line what came of few labels; their trainings show no progress."""
        if not self.comparing.quiet:
            known = {"name": self.candidate.name, "labels": cell.labels, "draw": cell.draw + 1}
            found = cell.sentence
            if cell.score is not None:
                found = message("terminal.curve.score", value=cell.score)
            took = duration(cell.seconds)
            say(message("terminal.curve.cell", said=found, time=took, **known), error=True)

    def _learn(self, base: str, cell: Cell, seconds: float) -> FinetuneReply:
        """Learn the task with the labels and the seed of a cell, in its time."""
        comparing = self.comparing
        job = self._job(base, cell, _budget(seconds))
        assert job.budget is not None, job
        began = comparing.watch()
        reply = comparing.worker.run(job, limit=_limit(job.budget))
        comparing.count(reply.seconds, began)
        self.row_seconds = reply.row_seconds
        return reply

    def _job(self, base: str, cell: Cell, budget: float) -> Finetune:
        """Return what learns a cell; of a curve, every cell chooses weights by its own rows."""
        comparing, ledger = self.comparing, self.comparing.ledger
        run = ledger.run(self.candidate, self.round, cell.draw)
        job = Finetune(
            comparing.request.task,
            self._learner(base),
            str(ledger.learned_file(cell)),
            str(ledger.rows_file("valid")),
            str(run),
            settings=_over(self.candidate.settings, "rows", comparing.plan.reading),
            budget=budget,
            seed=comparing.request.seed + cell.draw,
            quiet=comparing.quiet,
            holds_out=bool(comparing.plan.labels),
            beside=() if self._learner(base) == base else (base,),
        )
        return job if cell.is_last else self._of_few(job, cell)

    def _learner(self, base: str) -> str:
        """Return what the job learns on: the base, or what reads its vectors."""
        if self.candidate.is_untouched:
            return UNTOUCHED
        return EMBEDDINGS if self.candidate.is_frozen else base

    def _of_few(self, job: Finetune, cell: Cell) -> Finetune:
        """Return a job that keeps its answers to the measured rows, and no model."""
        comparing, ledger = self.comparing, self.comparing.ledger
        assert job.budget is not None, job
        number, every = comparing.num_measured, comparing.answering.rows
        answers = ledger.cell(self.candidate, self.round, cell)
        answering = min(number * self.row_seconds, ANSWERING_RATE * job.budget)
        return replace(
            job,
            valid=str(ledger.measured_file(comparing.part, number, every)),
            out=str(answers.with_name(f"{answers.name}-run")),
            budget=_budget(job.budget - answering),
            answers=str(answers),
            is_kept=False,
            quiet=True,
        )

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
            cells=self.cells,
            pretraining_curve=[] if pretrained is None else list(pretrained.curve),
            curve=self._curve(),
            judged_by=None if best is None else best.judged_by,
            passes=None if best is None else best.passes,
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
