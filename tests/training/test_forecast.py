"""What a time is enough for, by the speed of the first steps."""

from __future__ import annotations

import pytest

from foretext.training.forecast import TIMED_STEPS, WARM_STEPS, Forecast


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
