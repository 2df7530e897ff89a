"""Alignment and uniformity of vectors of length 1."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foretext.metrics.correlation import (
    alignment,
    average_ranks,
    kendall,
    pearson,
    spearman,
    uniformity,
)

# Few different values, so that ties are common.
SERIES = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.integers(-5, 5).map(float), min_size=n, max_size=n) for _ in range(2)]
    )
)


def test_ranks_by_hand():
    assert average_ranks([10, 30, 20, 30]).tolist() == [1, 3.5, 2, 3.5]


@given(SERIES)
def test_agrees_with_scipy(series):
    x, y = series
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of series that never vary
        of = (stats.spearmanr, stats.pearsonr, stats.kendalltau)
        expected = [each(x, y).statistic for each in of]
    found = spearman(x, y), pearson(x, y), kendall(x, y)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(SERIES)
def test_ranks_agree_with_scipy(series):
    np.testing.assert_array_equal(average_ranks(series[0]), stats.rankdata(series[0]))


def test_numbers_of_any_size():
    assert pearson([1e-200, 2e-200, 3e-200], [1e200, 2e200, 3e200]) == pytest.approx(1)
    assert spearman([1, 2, 3], [-1e300, -2e300, -3e300]) == pytest.approx(-1)


def test_nothing_to_correlate_is_nan():
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert np.isnan(spearman([1, float("nan"), 2], [1, 2, 3]))
    assert np.isnan(kendall([1, 1, 1], [1, 2, 3]))
    assert np.isnan(kendall([1, float("nan"), 2], [1, 2, 3]))


def test_two_orders_by_hand():
    """Of the six pairs of four, one stands the other way round."""
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx((5 - 1) / 6)


@pytest.mark.parametrize("series", [([1], [1]), ([1, 2], [1, 2, 3])])
def test_series_must_be_of_equal_length(series):
    with pytest.raises(ValueError, match="equal length, two or more"):
        pearson(*series)
    with pytest.raises(ValueError, match="equal length, two or more"):
        kendall(*series)


def test_alignment_is_the_mean_squared_distance() -> None:
    first, second = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[0.0, 1.0], [0.6, 0.8]])
    expected = np.square(first - second).sum(1).mean()
    assert alignment((first * second).sum(1)) == pytest.approx(expected)
    assert alignment([]) == 0.0


def test_uniformity_by_hand() -> None:
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    distances = [4.0, 2.0, 2.0]
    expected = math.log(sum(math.exp(-2 * each) for each in distances) / 3)
    assert uniformity(points @ points.T) == pytest.approx(expected)
    assert uniformity(np.ones((4, 4))) == pytest.approx(0.0)  # one point
    assert uniformity([[1.0]]) == 0.0
