"""Learning rates: up in the warm-up, down to the end, whatever the end is measured in."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.training.schedule import TIMED_STEPS, WARM_STEPS, Forecast, Schedule
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


@pytest.mark.parametrize("warmup", [0.0, 0.001, 0.004, 0.01, 0.02])
def test_a_short_warm_up_stays_below_the_highest_rate(warmup: float) -> None:
    found = rates(schedule="inverse_sqrt", warmup_rate=warmup, steps=1000)
    assert max(found) == 1.0
    assert found[-1] == pytest.approx(math.sqrt(max(warmup, 0.01) * 10), rel=0.01)


@given(
    shape=st.sampled_from(["linear", "cosine", "inverse_sqrt", "constant"]),
    warmup=st.floats(0, 0.99),
    done=st.floats(0, 1.2),
    by_seconds=st.booleans(),
)
def test_no_rate_is_above_the_highest(
    shape: Any, warmup: float, done: float, by_seconds: bool
) -> None:
    length = {"budget_seconds": 100.0} if by_seconds else {"steps": 100}
    config = TrainingConfig(schedule=shape, warmup_rate=warmup, learning_rate=0.5, **length)
    rate = Schedule(config, 10).learning_rate(int(done * 100), done * 100 if by_seconds else 0.0)
    assert 0 <= rate <= 0.5


def test_a_budget_is_walked_in_seconds() -> None:
    config = TrainingConfig(budget_seconds=100.0, learning_rate=1.0, warmup_rate=0.1)
    schedule = Schedule(config, steps_per_epoch=10)
    assert schedule.learning_rate(3, 5.0) == pytest.approx(0.5)
    assert schedule.learning_rate(3, 55.0) == pytest.approx(0.5)
    assert not schedule.finished(10**6, 99.0)
    assert schedule.finished(1, 100.0)


def budgeted(seconds: float, **settings: Any) -> Schedule:
    config = TrainingConfig(budget_seconds=seconds, learning_rate=1.0, warmup_rate=0.1, **settings)
    return Schedule(config, steps_per_epoch=10)


def test_the_last_measurement_and_checkpoint_come_within_the_budget() -> None:
    schedule = budgeted(100.0)
    schedule.reserve(6.0)
    schedule.keep_free(4.0)
    assert schedule.total == 90.0
    assert schedule.finished(7, 90.0)
    assert schedule.learning_rate(7, 81.0) == pytest.approx(1 / 9)
    assert schedule.learning_rate(7, 90.0) == 0.0
    schedule.reserve(1000.0)
    assert schedule.total == 50.0  # half of it is for learning in any case


def measured_seconds(schedule: Schedule, measuring: float, step_seconds: float) -> list[float]:
    """When a training measures, by the rules of the loop, the last time too."""
    schedule.reserve(measuring)
    step, seconds, last, found = 0, 0.0, 0.0, []
    while not schedule.finished(step, seconds):
        step, seconds = step + 1, seconds + step_seconds
        if schedule.validates(step, seconds, last):
            found.append(seconds)
            seconds += measuring
            last = schedule.done(step, seconds)
    return [*found, seconds]


@pytest.mark.parametrize("measuring", [0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("settings", [{}, {"valid_steps": 1}])
def test_measuring_takes_a_tenth_of_a_budget_at_most(
    measuring: float, settings: dict[str, int]
) -> None:
    found = measured_seconds(budgeted(100.0, **settings), measuring, 0.05)
    assert len(found) * measuring <= 10.0 + 1e-9
    assert found[-1] + measuring <= 100.1
    if measuring in (0.1, 0.5) and not settings:
        assert 15 <= len(found) <= 20
    if measuring >= 2.0:
        assert len(found) >= 2


def test_steps_with_a_limit_end_by_whichever_comes_first() -> None:
    config = TrainingConfig(steps=100, learning_rate=1.0, warmup_rate=0.1)
    free, limited = Schedule(config, 10), Schedule(config, 10, limit=50.0)
    for step in range(100):  # half a second would be too slow
        assert limited.learning_rate(step, 0.2 * step) == free.learning_rate(step, 0.0)
    assert not limited.finished(99, 20.0)
    assert limited.finished(100, 20.0)
    assert limited.finished(40, 50.0)
    assert limited.learning_rate(20, 27.5) == pytest.approx(0.5)
    assert (limited.unit, limited.total, limited.done(10, 25.0)) == ("steps", 100.0, 50.0)


def test_the_shorter_one_of_two_limits_counts() -> None:
    config = TrainingConfig(budget_seconds=30.0)
    assert Schedule(config, 10, limit=12.0).total == 12.0
    assert Schedule(config, 10, limit=60.0).total == 30.0


def test_epochs_become_steps() -> None:
    assert Schedule(TrainingConfig(epochs=2.5), steps_per_epoch=10).num_steps == 25
    assert Schedule(TrainingConfig(epochs=0.01), steps_per_epoch=10).num_steps == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epochs": 3.0, "steps": 5}, "only one can say how long"),
        ({"schedule": "constant", "final_rate": 0.1}, "no effect under a constant schedule"),
        ({"batch_examples": 4, "micro_batch_examples": 8}, "more than batch_examples"),
        ({"batch_examples": 4, "batch_tokens": 100}, "only one can say how many"),
    ],
)
def test_settings_that_contradict(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        TrainingConfig.checked(settings, "training")


def warnings_of(
    step_seconds: float, *, steps_per_epoch: int = 100, total: float = 120.0
) -> list[tuple[int, str]]:
    """The step of each warning, of a training whose first step takes twenty seconds."""
    forecast, left, found = Forecast(steps_per_epoch), total, []
    for step in range(1, 1000):
        took = 20.0 if step == 1 else step_seconds
        left -= took
        warning = forecast.add(step, took, left, total)
        found += [] if warning is None else [(step, warning)]
        if left <= 0:
            break
    return found


def test_few_steps_are_warned_of_once() -> None:
    [(step, warning)] = warnings_of(1.0)
    assert step == WARM_STEPS + 4  # four of a second each are enough to know
    assert "enough for about 92 steps, 0.92 epochs" in warning
    assert "has 02:00, enough" in warning
    assert "add 3m or more to the time (--budget)" in warning


def test_less_than_an_epoch_is_warned_of() -> None:
    [(step, warning)] = warnings_of(0.15, steps_per_epoch=2_000)
    assert step == WARM_STEPS + TIMED_STEPS
    assert "about 602 steps, 0.3 epochs" in warning
    assert "add 6m or more" in warning


def test_a_part_of_very_many_rows_is_enough() -> None:
    assert warnings_of(0.05, steps_per_epoch=100_000) == []


def test_enough_steps_need_no_word() -> None:
    assert warnings_of(0.1) == []


@pytest.mark.parametrize("total", [19.0, 25.0])
def test_a_time_that_ends_with_the_first_steps_is_warned_of(total: float) -> None:
    [(step, warning)] = warnings_of(4.0, total=total)
    assert step <= 3
    assert "hardly learns" in warning


def test_a_step_that_takes_a_minute_is_warned_of_before_it() -> None:
    forecast = Forecast(1_000)
    warning = str(forecast.before(flops=3 * 10**12, peak=10.0**11, total=45.0))
    assert "has 00:45, enough for about 1 step, " in warning
    assert "add 21h or more" in warning  # an epoch of 1,000 steps of a minute and more
    assert forecast.add(1, 60.0, -15.0, 45.0) is None  # it was said


def test_the_time_that_the_warning_asks_for_is_enough() -> None:
    flops, peak = 2 * 10**10, 10.0**11  # 0.4 seconds a step, as most networks are
    assert "add 60s or more" in str(Forecast(100).before(flops, peak, 45.0))
    assert Forecast(100).before(flops, peak, 45.0 + 60.0) is None


@pytest.mark.parametrize(
    ("flops", "peak"), [(0, 1e11), (10**12, None), (10**9, 1e11)], ids=["work", "machine", "fast"]
)
def test_what_is_not_known_or_fast_is_measured_first(flops: int, peak: float | None) -> None:
    forecast = Forecast(100)
    assert forecast.before(flops, peak, 60.0) is None
    assert forecast.add(1, 50.0, -1.0, 60.0) is not None
