"""Alignment and uniformity of vectors of length 1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretext.metrics.hypersphere import alignment, uniformity


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
