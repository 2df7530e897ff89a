from __future__ import annotations

import math

import numpy as np
import pytest

from foretext.metrics import (
    answer_scores,
    best_threshold,
    chinese_exact_match,
    chinese_f1,
    exact_match,
    word_f1,
)


def test_case_marks_and_articles_do_not_matter() -> None:
    assert exact_match("The  Broncos!", ["Panthers", "broncos"]) == 1
    assert exact_match("Theodore", ["odore"]) == 0
    assert exact_match("well-known", ["wellknown"]) == 1


def test_f1_is_that_of_bags_of_words() -> None:
    assert word_f1("the big cat", ["a cat sat"]) == 0.5
    assert word_f1("cat cat", ["cat"]) == pytest.approx(2 / 3)
    assert word_f1("dog", ["cat"]) == 0
    assert word_f1("the cat", ["dog", "cat"]) == 1


@pytest.mark.parametrize("measure", [exact_match, word_f1, chinese_exact_match, chinese_f1])
def test_no_answer_is_answered_by_nothing(measure: object) -> None:
    assert callable(measure)
    assert measure("", []) == 1
    assert measure("猫", []) == 0
    assert measure("", ["猫"]) == 0


def test_chinese_counts_by_characters() -> None:
    assert chinese_exact_match("《北京》", ["上海", "北京"]) == 1
    assert chinese_f1("在北京市", ["北京"]) == pytest.approx(2 * 2 / 6)
    assert chinese_f1("北x京", ["北京"]) == pytest.approx(2 * 1 / 5)  # one run, not a bag
    assert chinese_f1("京北", ["北京"]) == 0.5
    assert chinese_f1("1980年", ["1980 年"]) == 1
    assert chinese_f1("0.304平方", ["0.304"]) == pytest.approx(2 * 1 / 4)


def test_means_over_questions() -> None:
    answers = {"a": ["cat"], "b": ["big dog"], "c": ["x"]}
    assert answer_scores({"a": "Cat", "b": "dog"}, answers) == {
        "exact_match": pytest.approx(1 / 3),
        "f1": pytest.approx((1 + 2 / 3) / 3),
    }
    assert answer_scores({"a": "北京"}, {"a": ["北京市"]}, "chinese")["f1"] == pytest.approx(0.8)
    with pytest.raises(ValueError, match="one question or more is needed"):
        answer_scores({}, {})


def test_questions_without_answers_are_shown_apart() -> None:
    scores = answer_scores({"a": "cat", "b": "dog"}, {"a": ["cat"], "b": []})
    assert scores["f1"] == 0.5
    assert (scores["f1_answered"], scores["f1_unanswerable"]) == (1, 0)


def test_the_best_threshold_by_trying_all() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        margins = random.integers(-3, 4, size=8).astype(float)
        answered, unanswered = random.random(8), random.integers(0, 2, size=8).astype(float)
        threshold, mean = best_threshold(margins, answered, unanswered)
        tried = [
            np.where(margins <= edge, answered, unanswered).mean() for edge in [-math.inf, *margins]
        ]
        assert mean == pytest.approx(max(tried))
        assert np.where(margins <= threshold, answered, unanswered).mean() == pytest.approx(mean)
    with pytest.raises(ValueError, match="one question or more is needed"):
        best_threshold([], [], [])
