"""How the time of a command is divided, by a clock that the tests set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.finetuning.allotment import Allotment, Costs, allot
from foretext.finetuning.rehearsal import Cost
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.progress.budget import Budget


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
