"""A figure of several seeds."""

from __future__ import annotations

import math
import statistics

import pytest

from foretext.comparison.scores import spread


def test_the_deviation_is_that_of_a_sample() -> None:
    scores = [0.8, 0.9, 0.85]
    found = spread(scores)
    assert found["mean"] == pytest.approx(0.85)
    assert found["deviation"] == pytest.approx(statistics.stdev(scores))
    assert found["each"] == scores


def test_one_seed_has_no_deviation() -> None:
    assert spread([0.7]) == {"mean": 0.7, "deviation": None, "each": [0.7]}


def test_a_score_that_is_no_number_counts_as_nothing() -> None:
    assert spread([math.nan])["each"] == [0.0]
