"""Pace: what was measured decides how large a batch is."""

from __future__ import annotations

import pytest

from foretext.serving.pace import FEWEST_TOKENS, FIRST_RATE, Pace


def test_a_batch_is_as_large_as_its_time_allows() -> None:
    pace = Pace()
    assert pace.rate("embed") == FIRST_RATE
    pace.observe("embed", 5000, 0.5)
    assert pace.rate("embed") == pytest.approx(10_000)
    assert pace.room("embed", 0.1, 16_384) == 1000
    assert pace.room("embed", 0.1, 400) == 400
    assert pace.room("embed", 0.0001, 16_384) == FEWEST_TOKENS
    assert pace.rate("tag") == FIRST_RATE


def test_the_latest_batches_count_most() -> None:
    pace = Pace()
    pace.observe("embed", 100, 1.0)  # the first one compiles and warms up
    for _ in range(10):
        pace.observe("embed", 10_000, 0.1)
    assert pace.rate("embed") > 50_000


def test_a_batch_of_no_time_has_no_pace_of_its_own() -> None:
    pace = Pace()
    pace.observe("embed", 10, 0.0)
    assert pace.rate("embed") == FIRST_RATE
