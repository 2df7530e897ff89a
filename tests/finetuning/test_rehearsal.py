"""What is done with many rows is timed with a few, by a clock that the test sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from foretext.finetuning.rehearsal import Cost, rehearsed
from foretext.progress.budget import Budget


class Machine:
    """Does something with rows in the time that the test says; the first time it compiles."""

    def __init__(self, fixed: float, per_row: float) -> None:
        self.fixed, self.per_row = fixed, per_row
        self.now = 0.0
        self.sizes: list[int] = []

    def clock(self) -> float:
        return self.now

    def __call__(self, rows: Sequence[Any]) -> None:
        self.now += self.fixed + self.per_row * len(rows) + (0.0 if self.sizes else 10.0)
        self.sizes.append(len(rows))


@pytest.mark.parametrize(("fixed", "per_row"), [(0.5, 0.002), (0.0, 1e-5), (0.0, 0.3), (2.0, 0.0)])
def test_a_line_through_two_times(fixed: float, per_row: float) -> None:
    machine = Machine(fixed, per_row)
    found = rehearsed(machine, range(5000), Budget.started(60.0, clock=machine.clock))
    assert found == pytest.approx((fixed, per_row), abs=1e-9)
    assert found.of(1000) == pytest.approx(fixed + 1000 * per_row)
    assert found.of(0) == 0.0


def test_it_takes_little_of_the_time() -> None:
    machine = Machine(0.0, 0.002)
    rehearsed(machine, range(50_000), Budget.started(60.0, clock=machine.clock))
    assert machine.now < 10.0 + 0.04 * 60.0
    assert max(machine.sizes) > 50


def test_another_programs_moment_does_not_count() -> None:
    machine = Machine(0.0, 0.01)

    def slow_once(rows: Sequence[Any]) -> None:
        machine(rows)
        machine.now += 5.0 if machine.sizes == [8, 8, 32] else 0.0

    found = rehearsed(slow_once, range(32), Budget.started(60.0, clock=machine.clock))
    assert found.per_row == pytest.approx(0.01)


def test_few_rows_and_none() -> None:
    machine = Machine(0.0, 0.5)
    budget = Budget.started(60.0, clock=machine.clock)
    assert rehearsed(machine, range(3), budget) == (0.0, 0.5)
    assert rehearsed(machine, [], budget) == (0.0, 0.0)


def test_how_many_rows_fit_into_a_time() -> None:
    assert Cost(1.0, 0.01).rows_in(3.0) == 200
    assert Cost(5.0, 0.01).rows_in(3.0) == 0
    assert Cost(0.0, 0.0).rows_in(1.0) > 10**6
