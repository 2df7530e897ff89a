"""Where words stand, how one is left out, and how characters add up to words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.metrics import sigmoid, softmax
from foretext.tasks.explanation.words import (
    Place,
    Values,
    contrasted,
    log_odds,
    places_of,
    split_words,
    summed,
    without,
)

LOGITS = np.random.default_rng(0).normal(size=(5, 4)) * 3


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


def test_of_two_labels_it_is_the_log_of_the_odds() -> None:
    shares = softmax(LOGITS[:, :2])
    expected = np.log(shares[:, 1] / shares[:, 0])
    np.testing.assert_allclose(log_odds(shares, are_sets=False)[:, 1], expected)
    np.testing.assert_allclose(contrasted(LOGITS[:, :2], are_sets=False)[:, 1], expected)


def test_it_is_the_distance_to_the_mean_of_the_others() -> None:
    expected = LOGITS[:, 2] - LOGITS[:, [0, 1, 3]].mean(1)
    np.testing.assert_allclose(contrasted(LOGITS, are_sets=False)[:, 2], expected)
    shifted = contrasted(LOGITS + np.arange(5)[:, None], are_sets=False)
    np.testing.assert_allclose(shifted[:, 2], expected)
    found = log_odds(softmax(LOGITS), are_sets=False)
    np.testing.assert_allclose(found[:, 2], expected)


def test_labels_by_themselves_have_odds_of_their_own() -> None:
    np.testing.assert_allclose(log_odds(sigmoid(LOGITS), are_sets=True), LOGITS)
    np.testing.assert_array_equal(contrasted(LOGITS, are_sets=True), LOGITS)


def test_certainty_is_a_finite_number() -> None:
    shares = np.array([[1.0, 0.0]])
    assert np.isfinite(log_odds(shares, are_sets=False)).all()
    assert np.isfinite(log_odds(shares, are_sets=True)).all()


def test_the_label_is_the_most_probable_one_unless_it_is_given() -> None:
    values = Values(("a", "b", "c"), LOGITS[:, :3], softmax(LOGITS[:, :3]))
    assert values.chosen(None) == LOGITS[0, :3].argmax()
    assert values.part(2, 3).chosen(None) == LOGITS[2, :3].argmax()
    assert values.chosen("b") == 1
    with pytest.raises(SettingError, match="label = 'd': the labels of this model are 'a', 'b'"):
        values.chosen("d")


def test_scores_have_no_label() -> None:
    values = Values((), LOGITS[:, :1], None)
    assert values.chosen(None) == 0
    with pytest.raises(SettingError, match="gives scores; leave it out"):
        values.chosen("good")
