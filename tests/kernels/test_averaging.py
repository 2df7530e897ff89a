"""Merging copies against a twin in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.kernels.averaging import merge_rows


def twin(copies: np.ndarray, before: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """before + share * sum(copy - before): (P, R, D), (R, D), (R,)."""
    return np.asarray(before + shares[:, None] * (copies - before).sum(axis=0))


@pytest.mark.parametrize(("num_copies", "number"), [(1, 0), (2, 1), (5, 3)])
def test_rows_are_those_of_the_twin_and_others_stay(num_copies: int, number: int) -> None:
    rng = np.random.default_rng(num_copies)
    before = rng.standard_normal((9, 32)).astype(np.float32)
    copies = (before + rng.standard_normal((num_copies, 9, 32)) / 8).astype(np.float32)
    shares = rng.random(5).astype(np.float32)
    merged, own = before.copy(), copies[number].copy()
    shown = copies.copy()
    shown[number] = np.nan  # it is read where it is
    args = (shown.reshape(-1), num_copies, before.size, own.reshape(-1), number, merged.reshape(-1))
    assert merge_rows(*args, 3, 8, 32, shares) == 5
    expected = before.copy()
    expected[3:8] = twin(copies[:, 3:8], before[3:8], shares)
    np.testing.assert_allclose(merged, expected, atol=1e-6)
    np.testing.assert_array_equal(own[3:8], merged[3:8])
    others = [0, 1, 2, 8]
    np.testing.assert_array_equal(merged[others], before[others])
    np.testing.assert_array_equal(own[others], copies[number][others])


def test_copies_that_have_not_moved_change_no_bit() -> None:
    before = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32)
    merged = before.copy()
    copies = np.tile(before, (3, 1, 1))
    own = before.copy()
    args = (copies.reshape(-1), 3, before.size, own.reshape(-1), 0, merged.reshape(-1))
    merge_rows(*args, 0, 4, 16, np.full(4, 0.7, np.float32))
    np.testing.assert_array_equal(merged, before)
