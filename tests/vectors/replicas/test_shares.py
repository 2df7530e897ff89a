"""How much of the changes a row takes, against rows that go to a point by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.replicas.shares import CURVATURE, shares_of_changes


def test_the_ends_are_the_sum_and_the_mean() -> None:
    shares = shares_of_changes(np.array([0.0, 1e-9, 1e9]), 0.025, 4)
    np.testing.assert_allclose(shares, [1, 1, 0.25], atol=1e-4)
    assert (np.diff(shares_of_changes(np.geomspace(1e-3, 1e6, 50), 0.05, 8)) <= 0).all()
    np.testing.assert_allclose(shares_of_changes(np.array([3.0]), 0.05, 1), 1, rtol=1e-6)


@pytest.mark.parametrize("num_copies", [2, 4])
def test_merged_copies_are_where_one_would_be_that_had_met_all(num_copies: int) -> None:
    """Each meeting goes a small part of the way to the point 1, from 0."""
    part, meetings = 0.002, 300
    rate = part / CURVATURE

    def place(times: int) -> float:
        at = 0.0
        for _ in range(times):
            at += part * (1 - at)
        return at

    share = shares_of_changes(np.array([meetings]), rate, num_copies)[0]
    merged = share * num_copies * place(meetings)
    assert merged == pytest.approx(place(num_copies * meetings), rel=1e-3)
