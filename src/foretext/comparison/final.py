"""The end of a comparison: the models that are left answer the test, once.

Where there is no test they answer the held-out rows, by which they were chosen, too. Where the time
is too short for all rows, everybody answers the same sample of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foretext.comparison.answers import Answered, KeptAnswers
from foretext.comparison.candidate import Candidate
from foretext.comparison.cells import Cell, measured_number
from foretext.comparison.ledger import Outcome
from foretext.comparison.rounds import Played
from foretext.comparison.shares import Shares
from foretext.comparison.turn import Comparing
from foretext.comparison.worker import Answer, JobFailed
from foretext.messages import message

__all__ = ["Final", "decide_measured", "play_final"]

FEWEST_ROWS = 200  # that are answered in any case
LATE_SECONDS = 60.0  # beside twice its time, after which a model that answers is stopped


@dataclass
class Final:
    """What the finalists answered.

    Attributes:
        answered: by the name of the candidate, the answers of its models, one a seed.
        failures: why others gave none.
        rows: that were answered.
        note: says that these are not all; None: they are.
    """

    rows: int
    note: str | None = None
    answered: dict[str, list[Answered]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def play_final(comparing: Comparing, shares: Shares, played: Played) -> Final:
    """Let every finalist answer the rows that figures are of.

    Raises:
        Interrupted: a signal asked for the end; what was answered is kept.
    """
    outcomes = {each.name: played.history[each.name][-1] for each in played.finalists}
    number = _decided(comparing, shares, [*outcomes.values()])
    final = Final(number, _note(comparing, number))
    for candidate in played.finalists:
        outcome, seconds = outcomes[candidate.name], shares.next_test(candidate.name)
        jobs = [_job(comparing, candidate, outcome, cell, number) for cell in comparing.last_cells]
        try:
            final.answered[candidate.name] = [_answered(comparing, job, seconds) for job in jobs]
        except JobFailed as failure:
            final.failures[candidate.name] = str(failure)
    return final


def decide_measured(comparing: Comparing) -> None:
    """Decide before the first turn how many rows are answered, where cells answer them then."""
    plan, ledger = comparing.plan, comparing.ledger
    if not plan.labels or ledger.num_measured is not None:
        return
    number = measured_number(
        comparing.answering.rows,
        [candidate.group for candidate in plan.candidates],
        len(comparing.cells),
        comparing.request.budget_seconds,
        plan.pace * plan.row_length,
    )
    ledger.keep_num_measured(number)


def _decided(comparing: Comparing, shares: Shares, outcomes: Sequence[Outcome]) -> int:
    """Return how many rows are answered; a resume keeps to what was decided at first."""
    number = comparing.ledger.num_measured
    if number is None:
        number = _affordable(comparing, shares, outcomes)
        comparing.ledger.keep_num_measured(number)
    return number


def _affordable(comparing: Comparing, shares: Shares, outcomes: Sequence[Outcome]) -> int:
    """Return how many rows all of them can answer in the time that is left."""
    answering = comparing.answering
    costs = [answering.costs(outcome.row_seconds) for outcome in outcomes]
    left = shares.left_for_tests - sum(fixed for fixed, _ in costs)
    each = sum(seconds for _, seconds in costs)
    if each * answering.rows <= max(left, 0.0):  # rows may cost nothing
        return answering.rows
    return min(answering.rows, max(FEWEST_ROWS, int(left / each)))


def _note(comparing: Comparing, number: int) -> str | None:
    """Return a sentence where not all rows are answered."""
    every = comparing.answering.rows
    if number == every:
        return None
    part = message(f"findings.part.{comparing.part}")
    return message("findings.status.fewer_measured", some=number, every=every, part=part)


def _job(
    comparing: Comparing, candidate: Candidate, outcome: Outcome, cell: Cell, number: int
) -> Answer:
    """Return what has a model answer so many rows."""
    ledger, part = comparing.ledger, comparing.part
    return Answer(
        run=str(ledger.run(candidate, outcome.round, cell.draw)),
        task=comparing.request.task,
        rows=str(ledger.measured_file(part, number, comparing.answering.rows)),
        train=str(ledger.learned_file(cell)),
        out=str(ledger.answers(candidate, cell.draw)),
        reading=comparing.plan.reading,
        quiet=comparing.quiet,
    )


def _answered(comparing: Comparing, job: Answer, seconds: float) -> Answered:
    began = comparing.watch()
    reply = comparing.worker.run(job, limit=2 * seconds + LATE_SECONDS)
    comparing.count(reply.seconds, began)
    return Answered(reply, KeptAnswers.load(Path(job.out)))
