"""What follows from sizes and times."""

from __future__ import annotations

from itertools import pairwise

import pytest

from foretext.pretraining.plan.rules import (
    default_budget,
    row_length_for,
    rows_per_step,
    scaled_init_std,
    scaled_learning_rate,
    vocab_size_for,
)


def test_nobody_waits_longer_than_half_an_hour_unasked() -> None:
    budgets = [default_budget(10.0**power) for power in range(3, 12)]
    assert budgets[0] < 60
    assert budgets[-1] == 1800
    assert budgets == sorted(budgets)
    assert default_budget(10e6) == pytest.approx(600)


def test_vocabularies_grow_with_texts() -> None:
    sizes = [vocab_size_for(size) for size in (1e5, 1e7, 1e8, 1e10)]
    assert all(small < large for small, large in pairwise(sizes))


@pytest.mark.parametrize("seconds", [30, 600, 1800, 7200, 86_400])
def test_a_step_has_as_many_tokens_whatever_the_rows(seconds: float) -> None:
    length = row_length_for(seconds)
    assert rows_per_step(seconds, length) * length == rows_per_step(seconds, 128) * 128


def test_wide_models_learn_at_lower_rates() -> None:
    assert scaled_learning_rate(1e-3, 256) == 1e-3
    assert scaled_learning_rate(1e-3, 1024) == 2.5e-4


def test_narrow_models_begin_with_larger_weights() -> None:
    assert scaled_init_std(128) == pytest.approx(0.062)
    assert scaled_init_std(768) == pytest.approx(0.025)
