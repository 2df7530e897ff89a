"""Random numbers by row: those of some rows are the same, whoever draws the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from foretext.data.row_draws import Draws, DrawsAmong, PaddedDraws, RowDraws, whole_numbers

B = 7
SHARES = [range(7), range(2), range(2, 5), range(5, 7), range(6, 7)]


def of_rows(rows: range) -> RowDraws:
    return RowDraws(np.random.default_rng((3, 1)), rows, B)


def several(rows: range, width: int) -> list[np.ndarray]:
    """Arrays of many sizes, one after the other, with a number for all rows between them."""
    draws = of_rows(rows)
    first = draws.random((len(rows), 4))
    once = np.full(len(rows), draws.once())
    padded = PaddedDraws(draws, 9)
    return [first, once, padded.random((len(rows), width)), draws.random((len(rows), 2, 3))]


@pytest.mark.parametrize("rows", SHARES, ids=str)
def test_rows_have_their_numbers_whoever_draws_the_others(rows: range) -> None:
    whole = several(range(B), 9)
    for theirs, ours in zip(whole, several(rows, 9), strict=True):
        assert np.array_equal(theirs[rows.start : rows.stop], ours)


@pytest.mark.parametrize("width", [2, 5, 9])
def test_narrow_rows_have_the_first_numbers_of_wide_ones(width: int) -> None:
    wide, narrow = several(range(B), 9), several(range(2, 5), width)
    assert np.array_equal(wide[2][2:5, :width], narrow[2])
    assert np.array_equal(wide[3][2:5], narrow[3])


def test_all_rows_have_the_numbers_that_numpy_draws() -> None:
    expected = np.random.default_rng((3, 1)).random((B, 4))
    assert np.array_equal(of_rows(range(B)).random((B, 4)), expected)


@pytest.mark.parametrize("chosen", [[1, 0, 0, 1, 0, 1, 1], [0] * B])
def test_some_rows_of_all(chosen: list[int]) -> None:
    draws, mask = of_rows(range(B)), np.array(chosen, np.bool_)
    some = DrawsAmong(draws, mask).random((sum(chosen), 4))
    assert np.array_equal(some, of_rows(range(B)).random((B, 4))[mask])
    after = of_rows(range(B))
    after.random((B, 4))
    assert draws.once() == after.once()  # numbers of rows that nobody chose are passed over, too


def test_numbers_for_other_rows_are_refused() -> None:
    with pytest.raises(AssertionError, match="numbers for 3 rows"):
        of_rows(range(2, 5)).random((2, 4))


@pytest.mark.parametrize("make", [lambda: of_rows(range(B)), lambda: np.random.default_rng(0)])
def test_whole_numbers_are_below_their_limit(make: Callable[[], Any]) -> None:
    drawn: Draws = make()
    found = whole_numbers(drawn.random((B, 4_000)), 3)
    assert np.bincount(found.ravel()) / found.size == pytest.approx([1 / 3] * 3, abs=0.01)
    most = np.nextafter(1.0, 0.0)
    assert whole_numbers(np.array([0.0, most]), 50_000).tolist() == [0, 49_999]
