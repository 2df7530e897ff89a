"""Where words stand, how one is left out, and how characters add up to words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.tasks.explanation.words import Place, places_of, split_words, summed, without


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A fine film!", ["A", "fine", "film", "!"]),
        ("我爱 Brussels", ["我", "爱", "Brussels"]),
        ("e\u0301te\u0301 naïve", ["e\u0301te\u0301", "naïve"]),
        ("👩\u200d👩\u200d👧 👍🏽!", ["👩\u200d👩\u200d👧", "👍🏽", "!"]),
        ("❤\ufe0f love", ["❤\ufe0f", "love"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_words_are_found_where_they_stand(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in split_words(text)] == words


@given(st.text())
def test_words_are_in_order_and_leave_out_blanks_alone(text: str) -> None:
    spans = split_words(text)
    ends = [0, *(end for _, end in spans), len(text)]
    starts = [*(start for start, _ in spans), len(text)]
    assert all(start < end for start, end in spans)
    for end, start in zip(ends, starts, strict=False):
        assert end <= start
        assert text[end:start].isprintable() is False or not text[end:start].strip()


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("a fine film", "a", "fine film"),
        ("a fine film", "fine", "a film"),
        ("a fine film", "film", "a fine"),
        ("fine, indeed", "fine", ", indeed"),
        ("good.", "good", "."),
        ("真好看", "好", "真看"),
        ("fine", "fine", ""),
    ],
)
def test_a_word_is_left_out_with_one_blank(text: str, word: str, left: str) -> None:
    start = text.index(word)
    given = ("before", text)
    assert without(given, Place(1, start, start + len(word))) == ("before", left)


def test_words_of_all_texts_stand_in_order() -> None:
    assert places_of(("a b", "", "c")) == [Place(0, 0, 1), Place(0, 2, 3), Place(2, 0, 1)]


def test_blanks_count_for_the_word_before_them() -> None:
    texts = (" a  b ", "c")
    weights = [np.array([1.0, 2, 4, 8, 16, 32]), np.array([64.0])]
    assert summed(weights, places_of(texts)).tolist() == [15, 48, 64]
