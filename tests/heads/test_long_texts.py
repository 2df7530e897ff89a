"""What is read of texts that are longer than a row."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.heads.long_texts import cut_pair, cut_text

LENGTHS = st.integers(0, 200)
ROOMS = st.integers(1, 60)


@pytest.mark.parametrize(("length", "head"), [(511, 128), (800, 128), (801, 256), (5000, 256)])
def test_head_and_tail_as_sun_et_al_have_them(length: int, head: int) -> None:
    ids = list(range(length))
    (row,) = cut_text(ids, 510, "head_tail")
    assert row == ids[:head] + ids[length - (510 - head) :]
    assert len(row) == 510


def test_one_end_alone() -> None:
    ids = list(range(600))
    assert cut_text(ids, 510, "head") == [ids[:510]]
    assert cut_text(ids, 510, "tail") == [ids[90:]]


@pytest.mark.parametrize("how", ["head", "tail", "head_tail", "windows"])
def test_a_text_that_fits_is_read_whole(how: str) -> None:
    assert cut_text(range(510), 510, how) == [list(range(510))]  # type: ignore[arg-type]
    assert cut_text([], 510, how) == [[]]  # type: ignore[arg-type]


@given(LENGTHS, ROOMS)
def test_windows_cover_every_token_and_overlap_by_an_eighth(length: int, room: int) -> None:
    ids = list(range(length))
    windows = cut_text(ids, room, "windows")
    assert sorted({token for window in windows for token in window}) == ids
    assert all(len(window) <= room for window in windows)
    for before, after in pairwise(windows):
        assert len(before) == room
        assert before[len(before) - room // 8 :] == after[: room // 8]
        assert after[-1] > before[-1], "a window that shows nothing new"


@given(LENGTHS, ROOMS, st.sampled_from(["head", "tail", "head_tail"]))
def test_one_row_is_as_full_as_can_be(length: int, room: int, how: str) -> None:
    (row,) = cut_text(list(range(length)), room, how)  # type: ignore[arg-type]
    assert len(row) == min(length, room)
    assert row == sorted(set(row))


def test_the_longer_text_of_a_pair_is_cut() -> None:
    assert cut_pair([1] * 10, [2] * 3, 8) == ([1] * 5, [2] * 3)
    assert cut_pair([1] * 3, [2] * 10, 8) == ([1] * 3, [2] * 5)
    assert cut_pair([1] * 10, [2] * 9, 9) == ([1] * 5, [2] * 4)
    assert cut_pair([1] * 3, [2] * 5, 8) == ([1] * 3, [2] * 5)


@given(LENGTHS, LENGTHS, ROOMS)
def test_a_pair_fills_its_room_and_the_shorter_text_loses_last(
    first: int, second: int, room: int
) -> None:
    left, right = cut_pair(range(first), range(second), room)
    assert (left, right) == (list(range(len(left))), list(range(len(right))))
    assert len(left) + len(right) == min(first + second, room)
    shorter = min(len(left), len(right))
    assert shorter == min(first, second) or abs(len(left) - len(right)) <= 1
