"""IBM model 1 beside a dense twin in numpy, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.kernels.ibm_model_1 import add_pairs, expect, find_pairs, maximise, rehash

Rows = list[tuple[list[int], list[int]]]

numbers = st.lists(st.integers(1, 6), max_size=5)


def ragged(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([0, *map(len, rows)])
    return np.array([word for row in rows for word in row], np.int32), ends.astype(np.int64)


def twin(rows: Rows, passes: int) -> tuple[np.ndarray, list[float]]:
    """Rates t(f | e), (7, 7), of words 0 to 6, and the log-likelihood before each pass."""
    rates, likelihoods = np.full((7, 7), 0.25, np.float64), []
    for _ in range(passes):
        counts, likelihood = np.zeros((7, 7)), 0.0
        for source, target in rows:
            for f in target:
                e = [0, *source]
                shares = rates[e, f] / rates[e, f].sum()
                np.add.at(counts, (e, f), shares)
                likelihood += np.log(rates[e, f].mean())
        totals = counts.sum(axis=1, keepdims=True)
        rates = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        likelihoods.append(likelihood)
    return rates, likelihoods


def learned(rows: Rows, passes: int, slots: int = 128) -> tuple[np.ndarray, list[float]]:
    texts = (*ragged([source for source, _ in rows]), *ragged([target for _, target in rows]))
    keys = np.zeros(slots, np.uint64)
    row, taken = add_pairs(*texts, 0, keys, 0, slots - 1)
    assert (row, taken) == (len(rows), np.count_nonzero(keys))
    rates, counts = np.full(slots, 0.25, np.float32), np.zeros(slots)
    likelihoods = []
    for _ in range(passes):
        likelihoods.append(expect(*texts, row, keys, rates, counts, np.empty(6, np.int64)))
        maximise(keys, counts, np.empty(7), rates)
    grid = np.arange(7, dtype=np.uint64)
    places = np.empty(49, np.int64)
    find_pairs(keys, (grid[:, None] << np.uint64(32) | grid).ravel(), places)
    return np.where(places < 0, 0, rates[places]).reshape(7, 7), likelihoods


@given(st.lists(st.tuples(numbers, numbers.filter(bool)), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_the_twin_learns_the_same_rates(rows: Rows) -> None:
    expected, theirs = twin(rows, passes=4)
    found, likelihoods = learned(rows, passes=4)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(likelihoods, theirs, rtol=1e-5, atol=1e-5)


def test_das_haus_by_hand() -> None:
    """One pass over das Haus, the house and das Buch, the book."""
    das, haus, buch, the, house, book = 1, 2, 3, 1, 2, 3
    rates, _ = learned([([das, haus], [the, house]), ([das, buch], [the, book])], passes=1)
    # Each of 3 possible words, NULL among them, gets a third of each target word.
    assert rates[das, the] == pytest.approx((2 / 3) / (4 / 3))
    assert rates[haus, house] == pytest.approx((1 / 3) / (2 / 3))
    assert rates[das, house] == pytest.approx((1 / 3) / (4 / 3))
    assert rates[buch, book] == rates[haus, house]


def test_a_row_that_has_no_room_is_left_out_whole() -> None:
    texts = (*ragged([[1], [2, 3]]), *ragged([[1], [2, 3]]))
    keys = np.zeros(16, np.uint64)
    row, taken = add_pairs(*texts, 0, keys, 0, 7)
    assert (row, taken) == (1, 2)  # (NULL, 1) and (1, 1); six more would be too many
    assert add_pairs(*texts, row, keys, taken, 8) == (2, 8)


def test_a_larger_table_has_the_same_pairs() -> None:
    keys = np.zeros(16, np.uint64)
    add_pairs(*ragged([[1, 2]]), *ragged([[3, 4]]), 0, keys, 0, 15)
    larger = np.zeros(64, np.uint64)
    rehash(keys, larger)
    assert sorted(larger[larger > 0]) == sorted(keys[keys > 0])
    places = np.empty(64, np.int64)
    find_pairs(larger, larger, places)
    assert (places[larger > 0] == np.flatnonzero(larger)).all()
