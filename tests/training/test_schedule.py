"""Learning rates: up in the warm-up, down to the end, whatever the end is measured in."""

from __future__ import annotations

import math
from typing import Any

import pytest

from foretext.errors import SettingError
from foretext.training.schedule import Schedule
from foretext.training.settings import TrainingConfig


def rates(**settings: Any) -> list[float]:
    config = TrainingConfig(**{"steps": 100, "learning_rate": 1.0, "warmup_rate": 0.1, **settings})
    schedule = Schedule(config, steps_per_epoch=10)
    return [schedule.learning_rate(step, 0.0) for step in range(100)]


@pytest.mark.parametrize("shape", ["linear", "cosine", "inverse_sqrt"])
def test_up_then_down(shape: str) -> None:
    found = rates(schedule=shape)
    peak = found.index(max(found))
    assert peak in (8, 9)
    assert found[:peak] == sorted(found[:peak])
    assert found[peak:] == sorted(found[peak:], reverse=True)
    assert max(found) == pytest.approx(1.0, abs=0.1)


def test_known_values() -> None:
    assert rates(schedule="linear")[-1] == pytest.approx(0.0)
    assert rates(schedule="linear")[54] == pytest.approx(0.5)
    assert rates(schedule="cosine")[54] == pytest.approx(0.5)
    assert rates(schedule="inverse_sqrt")[-1] == pytest.approx(math.sqrt(0.1))
    assert rates(schedule="constant")[50] == 1.0
    assert rates(schedule="linear", final_rate=0.2)[-1] == pytest.approx(0.2)


def test_a_budget_is_walked_in_seconds() -> None:
    config = TrainingConfig(budget_seconds=100.0, learning_rate=1.0, warmup_rate=0.1)
    schedule = Schedule(config, steps_per_epoch=10)
    assert schedule.learning_rate(3, 5.0) == pytest.approx(0.5)
    assert schedule.learning_rate(3, 55.0) == pytest.approx(0.5)
    assert not schedule.finished(10**6, 99.0)
    assert schedule.finished(1, 100.0)


def test_epochs_become_steps() -> None:
    assert Schedule(TrainingConfig(epochs=2.5), steps_per_epoch=10).num_steps == 25
    assert Schedule(TrainingConfig(epochs=0.01), steps_per_epoch=10).num_steps == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epochs": 3.0, "steps": 5}, "only one can say how long"),
        ({"schedule": "constant", "final_rate": 0.1}, "no effect under a constant schedule"),
        ({"batch_examples": 4, "micro_batch_examples": 8}, "more than batch_examples"),
    ],
)
def test_settings_that_contradict(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        TrainingConfig.checked(settings, "training")
