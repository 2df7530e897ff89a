"""Pace: what was measured decides how large a batch is, and who has to wait."""

from __future__ import annotations

import pytest

from foretext.serving.pace import FEWEST_TOKENS, FIRST_RATE, Pace


def test_a_batch_is_as_large_as_its_time_allows() -> None:
    pace = Pace()
    assert pace.rate("embed") == FIRST_RATE
    for _ in range(100):
        pace.observe("embed", 5000, 0.5)
    assert pace.rate("embed") == pytest.approx(10_000, rel=1e-3)
    assert pace.room("embed", 0.1, 16_384) == pytest.approx(1000, abs=2)
    assert pace.room("embed", 0.1, 400) == 400
    assert pace.room("embed", 0.0001, 16_384) == FEWEST_TOKENS
    assert pace.rate("tag") == FIRST_RATE


def test_the_latest_seconds_count_most() -> None:
    pace = Pace()
    pace.observe("embed", 100, 30.0)
    assert pace.rate("embed") < 10
    for _ in range(100):
        pace.observe("embed", 10_000, 0.1)
    assert pace.rate("embed") > 90_000


@pytest.mark.parametrize("batches_before", [0, 1, 1000])
def test_one_slow_batch_is_no_slow_model(batches_before: int) -> None:
    pace = Pace()
    for _ in range(batches_before):
        pace.observe("embed", 200, 0.001)
    pace.observe("embed", 30, 1.0)  # something is loaded, or another program computes
    assert pace.rate("embed") > 8000


def test_a_slow_model_is_known_after_its_first_large_batch() -> None:
    pace = Pace()
    pace.observe("embed", 10_000, 50.0)
    assert pace.rate("embed") == pytest.approx(200, rel=0.01)


def test_a_batch_of_no_time_does_no_harm() -> None:
    pace = Pace()
    pace.observe("embed", 10, 0.0)
    assert pace.rate("embed") == pytest.approx(FIRST_RATE, rel=0.01)
