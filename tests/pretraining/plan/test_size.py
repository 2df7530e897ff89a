"""Which size is chosen, by speeds that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foretext.base.errors import SettingError
from foretext.pretraining.plan.size import SHAPES, Candidate, Circumstances, choose, shape_name

GIVEN = Circumstances("masked", 60.0, 3_000_000, 8 * 10**9)


def candidates() -> list[Candidate]:
    return [
        Candidate(
            shape_name(shape),
            *shape,
            parameters=12 * shape.num_layers * shape.dim**2 + 8000 * shape.dim,
            layer_parameters=12 * shape.num_layers * shape.dim**2,
            memory_bytes=10**9 + 240 * shape.num_layers * shape.dim**2,
        )
        for shape in SHAPES
    ]


class Machine:
    """So many operations a second, and what it was asked."""

    def __init__(self, operations: float) -> None:
        self.operations = operations
        self.asked: list[str] = []

    def __call__(self, candidate: Candidate) -> float:
        self.asked.append(candidate.name)
        return self.operations / 6 / (candidate.layer_parameters + 1200 * candidate.dim)


def chosen(found: tuple[Candidate, ...]) -> Candidate:
    (best,) = [each for each in found if each.chosen]
    return best


def test_the_same_speeds_give_the_same_plan() -> None:
    first = choose(candidates(), GIVEN, Machine(3e11))
    assert first == choose(candidates(), GIVEN, Machine(3e11))
    best = chosen(first)
    assert best.expected_loss == min(each.expected_loss for each in first if each.expected_loss)
    assert best.tokens == pytest.approx(60 * (best.tokens_per_second or 0), rel=1e-6)
    assert best.epochs == pytest.approx((best.tokens or 0) / GIVEN.text_tokens)


def test_an_objective_without_a_law_has_a_size_and_no_loss() -> None:
    found = choose(candidates(), replace(GIVEN, loss_law=None), Machine(3e11))
    assert chosen(found).name == chosen(choose(candidates(), GIVEN, Machine(3e11))).name
    assert {each.expected_loss for each in found} == {None}


def test_more_time_or_a_faster_machine_takes_larger_models() -> None:
    text = replace(GIVEN, text_tokens=10**10)
    by_time = [
        chosen(choose(candidates(), replace(text, seconds=time), Machine(3e11))).layer_parameters
        for time in (10.0, 600.0, 36_000.0)
    ]
    assert by_time[0] < by_time[1] < by_time[2]
    by_speed = [
        chosen(choose(candidates(), text, Machine(speed))).layer_parameters
        for speed in (3e10, 3e12, 3e14)
    ]
    assert by_speed[0] < by_speed[1] < by_speed[2]


def test_a_small_text_takes_a_smaller_model() -> None:
    machine = Machine(3e12)
    large = chosen(choose(candidates(), replace(GIVEN, seconds=3600.0, text_tokens=10**9), machine))
    small = chosen(choose(candidates(), replace(GIVEN, seconds=3600.0, text_tokens=10**5), machine))
    assert small.layer_parameters < large.layer_parameters


def test_what_is_clearly_too_slow_is_not_tried() -> None:
    machine = Machine(3e9)
    found = choose(candidates(), GIVEN, machine)
    assert len(machine.asked) < len(SHAPES) / 2
    assert found[-1].note == "too slow for the time"
    assert found[-1].tokens_per_second is None


def test_what_does_not_fit_is_not_tried() -> None:
    machine = Machine(3e15)
    found = choose(candidates(), replace(GIVEN, free_bytes=1_100_000_000), machine)
    assert found[-1].note == "too large for the memory"
    assert "base" not in machine.asked
    assert chosen(found).memory_bytes <= 1_100_000_000


def test_where_nothing_fits_it_says_what_to_lower() -> None:
    with pytest.raises(
        SettingError,
        match=r"size tiny needs about 1.0 GB of memory, and 512 MB are free; lower "
        r"training.batch_examples or objective.row_length",
    ):
        choose(candidates(), replace(GIVEN, free_bytes=512_000_000), Machine(1.0))
