"""How the time of a comparison is divided: among rounds, candidates, and what each of them does.

All candidates of a round get an equal share of what is left of it, so that time which one does not
use goes to those after it. Answers to the test, and what is written at the end, have their time
kept free from the beginning. Nothing here reads a clock but that of the budget.
"""

from __future__ import annotations

import time
from collections.abc import Set
from dataclasses import dataclass, field

from foretext.progress.budget import Budget, Clock

__all__ = ["ROW_SECONDS", "SLOWEST", "Answering", "Shares", "Stopwatch", "machine_pace"]

WRITING_SECONDS = 2.5  # for figures, page and the best model
WRITING_RATE, MOST_WRITING_RATE = 0.001, 0.1  # of the time: beside that, and at most
ANSWERING_RATE = 0.15  # of a share, at most, for answers at the end
OPENING_SECONDS = 0.6  # of a model that is to answer, and of rows that it answers alone
SLOWEST_OPENING = 2.0  # times as long, at most: rows that are answered alone have a second in all
SLOWEST = 4.0  # times as slow as usual, at most, that a busy machine is taken for
PACE_SECONDS = 0.2  # of work that the pace of a machine is measured by
ROW_SECONDS = 0.005  # of an answer, before one was timed
MARGIN = 1.2  # times the time that was measured: answers are judged, and windows of texts overlap


class Stopwatch:
    """Counts the seconds of a comparison, with those of earlier commands that it was resumed from.

    Args:
        began: what the clock showed when this command began.
        clock: counts seconds.
    """

    def __init__(self, began: float, clock: Clock = time.monotonic) -> None:
        self._began = began
        self._clock = clock

    def __call__(self) -> float:
        """Return the seconds since the comparison began."""
        return self._clock() - self._began

    def add(self, seconds: float) -> None:
        """Count seconds of an earlier command."""
        self._began -= seconds


def machine_pace() -> float:
    """Measure how many times as slow as usual a busy machine is, 1 or more.

    It computes for a fifth of a second of this thread's own time, and looks at how long that took.
    Waiting for a disk or for another process of the comparison does not count.
    """
    began, work = time.monotonic(), time.thread_time()
    while time.thread_time() - work < PACE_SECONDS:
        pass
    return min(max((time.monotonic() - began) / PACE_SECONDS, 1.0), SLOWEST)


@dataclass(frozen=True)
class Answering:
    """The rows that all models answer at the end.

    Attributes:
        rows: of the test, or those that are held out where there is none.
        seeds: models of each candidate.
        pace: how many times as slow as usual this machine is.
        row_length: mean length of the rows, as a multiple of that of the rows that were timed.
    """

    rows: int
    seeds: int = 1
    pace: float = 1.0
    row_length: float = 1.0

    def seconds(self, share: float, row_seconds: float = ROW_SECONDS) -> float:
        """Return the time that is kept free for the answers of a candidate.

        Args:
            share: of the candidate; they take a part of it at most.
            row_seconds: of an answer.
        """
        fixed, each = self.costs(row_seconds)
        return min(fixed + each * self.rows, ANSWERING_RATE * share)

    def costs(self, row_seconds: float) -> tuple[float, float]:
        """Return the seconds of all models of a candidate, and those that each row adds."""
        opening = min(self.pace, SLOWEST_OPENING) * OPENING_SECONDS
        return self.seeds * opening, self.seeds * MARGIN * self.row_length * row_seconds


@dataclass
class Shares:
    """The time that is left, and who gets how much of it.

    Attributes:
        budget: of everything.
        pace: how many times as slow as usual this machine is.
        turns: of candidates that are to come in this round.
        later: seconds kept for later rounds.
        tests: by candidate, seconds of its answers to the test.
    """

    budget: Budget
    pace: float = 1.0
    turns: int = 0
    later: float = 0.0
    tests: dict[str, float] = field(default_factory=dict)

    @property
    def writing(self) -> float:
        """Seconds that are kept free for what is written at the end."""
        whole = self.budget.seconds
        seconds = self.pace * WRITING_SECONDS + WRITING_RATE * whole
        return min(seconds, MOST_WRITING_RATE * whole)

    @property
    def left(self) -> float:
        """Seconds for the turns of this round and of later ones."""
        kept = self.writing + sum(self.tests.values())
        return max(self.budget.left - kept, 0.0)

    def begin_round(self, turns: int, rounds: int) -> None:
        """Begin a round, for which there is as much time as for each one after it.

        Args:
            turns: of candidates in it.
            rounds: that are left, this one included.
        """
        self.turns = turns
        self.later = self.left * (rounds - 1) / rounds

    def next_share(self) -> float:
        """Return the seconds of the next turn, an equal part of what is left of the round."""
        assert self.turns > 0, "no turn is left in this round"
        return max(self.left - self.later, 0.0) / self.turns

    def end_turn(self) -> None:
        """Count a turn as over, whatever it has used."""
        self.turns -= 1

    def keep_for_test(self, name: str, seconds: float) -> None:
        """Keep time free for a candidate's answers to the test."""
        self.tests[name] = seconds

    def keep_tests(self, names: Set[str]) -> None:
        """Keep time free for the answers of these candidates, and no others."""
        self.tests = {name: seconds for name, seconds in self.tests.items() if name in names}

    @property
    def left_for_tests(self) -> float:
        """Seconds until writing has to begin."""
        return max(self.budget.left - self.writing, 0.0)

    def next_test(self, name: str) -> float:
        """Return the seconds for a candidate's answers to the test; its time is free again.

        Time that the answers before have not used is divided among those that are left.
        """
        wanted = sum(self.tests.values())
        own = self.tests.pop(name)
        return self.left_for_tests * own / wanted if wanted else self.left_for_tests
