"""Means of rows, and their transpose, against plain numpy."""

from __future__ import annotations

import numpy as np

from foretext.kernels.row_means import add_to_rows, row_means

IDS = np.array([3, 1, 1, 0, 4, 4, 4, 2], np.uint32)
STARTS = np.array([0, 3, 3, 4, 8], np.int64)  # the second text has no rows
DIM = 5


def shares(left_out: int = -1, *, averaged: bool = True) -> np.ndarray:
    """The same as a matrix (T, R)."""
    matrix = np.zeros((4, 5), np.float32)
    for text in range(4):
        kept = [row for row in IDS[STARTS[text] : STARTS[text + 1]] if row != left_out]
        for row in kept:
            matrix[text, row] += 1 / len(kept) if averaged else 1
    return matrix


def test_means_are_those_of_numpy() -> None:
    rows = np.random.default_rng(0).standard_normal((5, DIM)).astype(np.float32)
    for left_out in (-1, 4, 0):
        means = np.full((4, DIM), np.nan, np.float32)
        row_means(rows.ravel(), DIM, IDS, STARTS, left_out, means.ravel())
        np.testing.assert_allclose(means, shares(left_out) @ rows, atol=1e-6)


def test_a_text_of_nothing_but_what_is_left_out_gives_zeros() -> None:
    rows, means = np.ones((5, DIM), np.float32), np.ones((4, DIM), np.float32)
    row_means(rows.ravel(), DIM, IDS, STARTS, 0, means.ravel())
    assert not means[2].any()


def test_adding_is_the_transpose_without_the_shares() -> None:
    means = np.random.default_rng(1).standard_normal((4, DIM)).astype(np.float32)
    for left_out in (-1, 4):
        rows = np.ones((5, DIM), np.float32)
        add_to_rows(rows.ravel(), DIM, IDS, STARTS, left_out, means.ravel())
        expected = 1 + shares(left_out, averaged=False).T @ means
        np.testing.assert_allclose(rows, expected, atol=1e-5)
