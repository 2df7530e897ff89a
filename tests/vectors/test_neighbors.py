"""The tiled search against sorting every score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.vectors import neighbors
from foretext.vectors.neighbors import (
    inverse_norms,
    nearest_others,
    num_shared,
    search,
    unit_rows,
)


def sorted_search(vectors, queries, k):
    scores = queries @ vectors.T * inverse_norms(vectors)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


@settings(deadline=None)
@given(
    seed=st.integers(0, 1000),
    sizes=st.tuples(st.integers(1, 60), st.integers(0, 9), st.integers(0, 70)),
    tiles=st.tuples(st.integers(1, 5), st.integers(1, 20)),
)
def test_equals_sorting_every_score(seed, sizes, tiles):
    num_rows, num_queries, k = sizes
    rng = np.random.default_rng(seed)
    # small whole numbers: many equal scores, and products that no order of summing changes
    vectors = rng.integers(-1, 2, (num_rows, 4)).astype(np.float32)
    queries = rng.integers(-1, 2, (num_queries, 4)).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbors, "_QUERY_TILE", tiles[0])
        patch.setattr(neighbors, "_ROW_TILE", tiles[1])
        patch.setattr(neighbors, "_LARGEST_HEAP", 40)
        found = search(vectors, inverse_norms(vectors), queries, k)
    rows, scores = sorted_search(vectors, queries, k)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.scores, scores)


def test_rising_scores_are_the_worst_case_and_no_different(monkeypatch):
    monkeypatch.setattr(neighbors, "_ROW_TILE", 10)
    angles = np.linspace(3, 0, 500)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    found = search(vectors, inverse_norms(vectors), np.array([[1, 0]] * 2, np.float32), 3)
    assert found.rows.tolist() == [[499, 498, 497]] * 2


def test_unit_rows():
    unit = unit_rows(np.array([[3, 4], [0, 0], [1e-30, 0]], np.float32))
    np.testing.assert_allclose(unit, [[0.6, 0.8], [0, 0], [1, 0]], rtol=1e-6)


def test_nearest_others_leave_out_the_row_itself():
    vectors = np.array([[1, 0], [2, 0.1], [0, 1], [-1, 0]], np.float32)
    found = nearest_others(vectors, np.array([2, 0]), 2)
    assert found.tolist() == [[1, 0], [1, 2]]


def test_nearest_others_of_equal_vectors():
    """Of ten equal vectors a row may not be among its own k + 1 nearest."""
    found = nearest_others(np.ones((10, 3), np.float32), np.arange(10), 4)
    assert found.shape == (10, 4)
    assert all(row not in near for row, near in enumerate(found.tolist()))


@given(st.integers(1, 6), st.integers(0, 8), st.integers(0, 1000))
def test_num_shared_counts_as_sets_do(num_rows, k, seed):
    rng = np.random.default_rng(seed)
    first, second = (
        np.array([rng.permutation(12)[:k] for _ in range(num_rows)], np.int64) for _ in range(2)
    )
    expected = [len(set(a) & set(b)) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert num_shared(first, second).tolist() == expected
