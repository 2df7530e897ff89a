"""The time of a command: one clock, from its start."""

from __future__ import annotations

import pytest

from foretext.kernels.compile import compiling_began
from foretext.messages import in_language
from foretext.progress.budget import Budget, duration_option, tell_of_compiling


class Clock:
    """Shows what a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_time_goes_by() -> None:
    clock = Clock()
    budget = Budget.started(20.0, clock=clock)
    assert (budget.elapsed, budget.left, budget.is_over) == (0.0, 20.0, False)
    clock.now += 15
    assert (budget.elapsed, budget.left) == (15.0, 5.0)
    clock.now += 6
    assert (budget.left, budget.is_over) == (-1.0, True)


def test_what_was_used_before_counts() -> None:
    budget = Budget.started(20.0, used=12.0, clock=Clock())
    assert (budget.elapsed, budget.left) == (12.0, 8.0)


def test_more_time_on_the_same_clock() -> None:
    clock = Clock()
    budget = Budget.started(20.0, clock=clock)
    clock.now += 5
    assert budget.extended(10.0).left == 25.0
    assert budget.left == 15.0


def test_the_usual_clock_counts_seconds() -> None:
    budget = Budget.started(1000.0)
    assert budget.left == pytest.approx(1000.0, abs=10.0)


@pytest.mark.parametrize(
    ("seconds", "option"),
    [(1, "10s"), (40, "40s"), (41, "50s"), (91, "2m"), (600, "10m"), (5401, "2h")],
)
def test_a_time_as_an_option(seconds: float, option: str) -> None:
    assert duration_option(seconds) == option


def test_one_line_says_what_a_run_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    with in_language("en"):
        tell_of_compiling(quiet=False)
        tell_of_compiling(quiet=False)
        compiling_began()
        compiling_began()
    assert capsys.readouterr().err == (
        "compiling kernels for this machine, once; the next run starts at once\n"
    )


def test_a_quiet_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_compiling(quiet=False)
    tell_of_compiling(quiet=True)
    compiling_began()
    assert capsys.readouterr().err == ""
