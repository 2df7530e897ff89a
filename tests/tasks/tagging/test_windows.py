"""Sentences as rows: every token is answered once, and where it has the most context."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.data.framing import Framing
from foretext.tasks.tagging.windows import SentenceWindows

CLS, SEP, PAD = 1, 2, 0


def windows_of(lengths: list[int], max_length: int = 12) -> SentenceWindows:
    """Of one sentence, its ids being 10, 11, and so on."""
    ids = iter(range(10, 10 + sum(lengths)))
    tokens = [[next(ids) for _ in range(length)] for length in lengths]
    return SentenceWindows.of([tokens], Framing([CLS], [SEP], max_length, []), PAD)


def test_a_short_sentence_is_one_row() -> None:
    found = windows_of([1, 3, 1])
    (window,) = found.windows
    assert found.rows == [[CLS, 10, 11, 12, 13, 14, SEP]]
    assert (window.answered, window.positions.tolist()) == (slice(0, 3), [1, 2, 5])
    assert found.tokens[0].tolist() == [-1, 0, 1, 1, 1, 2, -1]
    assert found.num_cut == 0


def test_rows_share_half_their_room() -> None:
    """Ten tokens of room; where 5 to 9 stand in two rows, each is answered where it is inner."""
    found = windows_of([1] * 15)
    assert found.rows == [[CLS, *range(10, 20), SEP], [CLS, *range(15, 25), SEP]]
    assert [window.answered for window in found.windows] == [slice(0, 8), slice(8, 15)]
    assert found.windows[1].positions.tolist() == [4, 5, 6, 7, 8, 9, 10]
    assert found.tokens[1].tolist() == [-1, *range(5, 15), -1]
    assert found.num_cut == 1


@given(st.lists(st.integers(1, 14), max_size=60), st.integers(3, 20))
def test_every_token_is_answered_once(lengths: list[int], max_length: int) -> None:
    found = windows_of(lengths, max_length)
    first_ids = np.cumsum([10, *lengths])[:-1]
    answered = [
        found.rows[row][position]
        for row, window in enumerate(found.windows)
        for position in window.positions
    ]
    assert answered == first_ids.tolist()
    assert max(map(len, found.rows)) <= max_length
    for row, tokens in zip(found.rows, found.tokens, strict=True):
        known = [(id_, token) for id_, token in zip(row, tokens, strict=True) if token >= 0]
        assert all(np.searchsorted(first_ids, id_, "right") - 1 == token for id_, token in known)
        assert [token >= 0 for token in tokens] == [id_ >= 10 for id_ in row]
    ends = np.cumsum([0, *(min(length, max_length - 2) for length in lengths)])
    for window in found.windows:
        for token in range(window.answered.start, window.answered.stop):
            best = max(context(each.held, token, ends) for each in found.windows)
            assert context(window.held, token, ends) == best


def context(held: slice, token: int, ends: np.ndarray) -> float:
    """Pieces between a token and the nearer edge at which the sentence was cut; -1: not held."""
    if not held.start <= token < held.stop:
        return -1
    left = np.inf if held.start == 0 else ends[token] - ends[held.start]
    right = np.inf if held.stop == len(ends) - 1 else ends[held.stop] - ends[token + 1]
    return float(min(left, right))


def test_a_sentence_without_tokens_is_a_row_too() -> None:
    assert windows_of([]).rows == [[CLS, SEP]]
    bare = SentenceWindows.of([[]], Framing([], [], 8, []), PAD)
    assert bare.rows == [[PAD]]
    assert bare.gathered([np.ones((1, 3), np.float32)], 1)[0].shape == (0, 3)


@pytest.mark.parametrize("max_length", [6, 12, 64])
def test_outputs_come_back_by_token(max_length: int) -> None:
    sentences = [[[10], [11, 12], [13]], [], [[20 + i] for i in range(30)]]
    found = SentenceWindows.of(sentences, Framing([CLS], [SEP], max_length, []), PAD)
    outputs = [np.array(row, np.float32)[:, None] for row in found.rows]
    gathered = found.gathered(outputs, len(sentences))
    assert [rows[:, 0].tolist() for rows in gathered] == [[10, 11, 13], [], list(range(20, 50))]
