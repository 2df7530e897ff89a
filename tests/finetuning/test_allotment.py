"""How the time of a command is divided, by a clock that the tests set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import SettingError
from foretext.finetuning import allotment as module
from foretext.finetuning.allotment import Allotment, Cost, Costs, allot, rehearsed
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.progress.budget import Budget
from foretext.tasks.classification.task import Classification
from tests.task_files import TaskFiles, small_settings


def rows_of(train: int, valid: int, test: int) -> TaskRows:
    return TaskRows(*(range(number) for number in (train, valid, test)))


def cost(per_row: float, fixed: float = 0.0, encoding: float = 0.0) -> Costs:
    return Costs(Cost(0.0, encoding), Cost(0.0, per_row), Cost(fixed, per_row))


def allotted(seconds: float, rows: TaskRows, costs: Costs, **more: Any) -> Allotment:
    budget = Budget.started(seconds, clock=lambda: 0.0)
    return allot(budget, rows, costs, **{"seeds": 1, "has_page": False, **more})


def test_a_training_has_what_measuring_and_writing_leave() -> None:
    found = allotted(100.0, rows_of(1000, 100, 500), cost(0.02, fixed=1.0))
    assert found.rows.test == range(500)
    assert found.rows.learned == range(1000)
    assert found.notes == []
    measuring = 100 * 0.02 + 100 * 0.02 + (1 + 500 * 0.02)
    assert found.training(1).seconds == pytest.approx(100 - measuring, abs=1.2)


def test_seeds_share_the_time_alike() -> None:
    found = allotted(100.0, rows_of(1000, 100, 0), cost(0.01), seeds=3)
    first = found.training(3)
    assert 3 * first.seconds < 100 - 3 * 1 - 1
    later = Budget(100.0, -first.seconds - 1.0, found.budget.clock)  # a training and measuring
    assert replace(found, budget=later).training(2).seconds == pytest.approx(first.seconds)


def test_a_training_with_all_rows_after_the_figures_has_a_share() -> None:
    found = allotted(100.0, rows_of(1000, 100, 0), cost(0.01), refits=True)
    first = found.training(1)
    assert 2 * first.seconds == pytest.approx(100 - 2 - found.writing)
    later = Budget(100.0, -first.seconds - 2.0, found.budget.clock)  # a training and measuring
    assert replace(found, budget=later).refitting().seconds == pytest.approx(first.seconds)


def test_a_busy_machine_writes_slowly_too() -> None:
    quick, slow = (
        allotted(60.0, rows_of(10, 0, 0), cost(0.0), has_page=True, slowness=slowness)
        for slowness in (1.0, 3.0)
    )
    assert quick.training(1).seconds - slow.training(1).seconds == pytest.approx(1.4)


def test_the_time_of_an_interrupted_command_counts() -> None:
    found = allotted(100.0, rows_of(1000, 0, 0), cost(0.01), seeds=2)
    whole, rest = found.training(2), found.training(1, before=40.0)
    assert rest.seconds == pytest.approx(2 * whole.seconds - 40.0)


def test_too_many_rows_are_sampled_and_said_so() -> None:
    found = allotted(60.0, rows_of(1000, 10_000, 25_000), cost(0.01))
    measured = 2 * len(found.rows.valid) + len(found.rows.test)
    assert 0.01 * measured == pytest.approx(0.3 * 60.0, rel=0.01)
    assert found.training(1).seconds == pytest.approx(0.7 * 60.0, rel=0.03)
    [note] = found.notes
    assert f"{len(found.rows.test):,} of 25,000 test rows" in note
    assert "foretext evaluate RUN FILE, measures all" in note
    assert list(found.rows.test) == sorted(set(found.rows.test))


def test_rows_that_take_too_long_to_encode_are_sampled() -> None:
    found = allotted(60.0, rows_of(80_000, 0, 0), cost(0.0, encoding=0.001), seeds=3)
    assert len(found.rows.learned) == 3000  # of each seed, a twentieth of the time
    assert found.rows.train == range(80_000)  # labels are found in all
    [note] = found.notes
    assert note.startswith("3,000 of 80,000 rows are learned from, drawn at random")


def test_a_few_rows_are_measured_however_slow_they_are() -> None:
    found = allotted(600.0, rows_of(1000, 0, 25_000), cost(2.0))
    assert len(found.rows.test) == 200
    assert found.training(1).seconds < 200


def test_a_budget_that_nothing_is_left_of_is_refused() -> None:
    found = allotted(20.0, rows_of(1000, 100, 500), cost(0.5))
    sentence = (
        r"^--budget 20s is too short: reading and preparing took 0\.0 s, and measuring and "
        r"writing will take \d+\.\d s; give at least \d+m\.$"
    )
    with pytest.raises(SettingError, match=sentence):
        found.training(1)
    assert found.training(1, resumed=True).seconds > 0  # it may be trained already


def test_a_smaller_sample_is_a_part_of_a_larger_one() -> None:
    rows = range(1000)
    small, large = sampled(rows, 50), sampled(rows, 200)
    assert set(small) < set(large)
    assert list(small) == sorted(small)
    assert sampled(rows, 1000) is rows


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("budget", "seconds", "expected"), [("2s", 0.04 / 3, 16), ("2s", 1e-6, 60), (None, 9.0, 60)]
)
def test_the_baseline_learns_from_as_many_rows_as_its_time_allows(
    budget: str | None, seconds: float, expected: int,
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    learned: list[int] = []
    real = Classification.baseline

    def counting(task: Classification, rows: Sequence[Any]) -> Any:
        learned.append(len(rows))
        return real(task, rows)

    monkeypatch.setattr(Classification, "baseline", counting)
    monkeypatch.setattr(module, "rehearsed", lambda *given, **named: Cost(0.0, seconds))
    monkeypatch.setattr(module, "FEWEST", 10)
    settings = small_settings("textcnn")
    if budget is not None:
        del settings["training"]["epochs"]
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        valid=task_files.test("classification"), budget=budget, settings=settings,
    )  # fmt: skip
    assert learned == [expected]
    name = RunFolder(tmp_path / "run").facts()["baseline"]["name"]
    assert name.endswith(f"of {expected} rows") is (expected < 60)


@pytest.mark.slow
def test_an_ensemble_answers_with_a_baseline_of_all_rows(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "rehearsed", lambda *given, **named: Cost(0.0, 99.0))
    monkeypatch.setattr(module, "FEWEST", 10)
    settings = {**small_settings("textcnn"), "finetuning": {"ensemble": True}}
    del settings["training"]["epochs"]
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        valid=task_files.test("classification"), budget="6s", settings=settings,
    )  # fmt: skip
    assert "rows" not in RunFolder(tmp_path / "run").facts()["baseline"]["name"]


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
