"""Answers that are all alike, in every kind of task."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.data.rows import Answer, LabelledPair, Question
from foretext.task_models.answer_figures import same_answers
from foretext.task_models.pair_scores import same_scores
from foretext.task_models.readings import SpanAnswer
from foretext.task_models.tag_figures import same_tags

PASSAGE = "the cat purrs and the dog barks"


def asked(number: int) -> Question:
    text = ("cat", "dog")[number % 2]
    return Question("q", "who ?", PASSAGE, (Answer(text, PASSAGE.find(text)),), "", "a.json:q")


def given(text: str) -> SpanAnswer:
    start = PASSAGE.find(text) if text else None
    return SpanAnswer(text, start, start and start + len(text), 0.9, 0.0)


def pairs(scores: list[float]) -> list[LabelledPair]:
    return [LabelledPair("a", "b", None, score, "a.csv:1") for score in scores]


@pytest.mark.parametrize(
    ("texts", "shown"),
    [(["cat"], "'cat'"), ([""], "none"), (["the", "the cat"], "one from character 0 on")],
)
def test_a_reader_that_always_answers_alike(texts: list[str], shown: str) -> None:
    rows = [asked(number) for number in range(12)]
    sentence = same_answers(rows, [given(texts[i % len(texts)]) for i in range(12)])
    assert sentence is not None
    assert f"got the same answer, {shown}, although 2 different" in sentence
    assert same_answers(rows, [given(("cat", "dog")[i % 2]) for i in range(12)]) is None
    alike = [asked(0)] * 12
    assert same_answers(alike, [given("cat")] * 12) is None  # and that is right


def test_a_tagger_that_finds_no_entity() -> None:
    gold, nothing = [["B-PER", "I-PER", "O"]] * 12, [["O", "O", "O"]] * 12
    assert same_tags(gold, nothing, of_entities=True) == (
        "No entity was found in 12 sentences, which hold 12."
    )
    assert same_tags(gold, [*nothing[1:], ["O", "O", "B-LOC"]], of_entities=True) is None
    assert same_tags(nothing, nothing, of_entities=True) is None
    assert same_tags(gold[:3], nothing[:3], of_entities=True) is None  # too few to tell
    told = same_tags([["N", "V"]] * 12, [["N", "N"]] * 12, of_entities=False)
    assert told is not None
    assert told.startswith("All 24 tokens got the same answer, 'N'")


def test_a_matcher_whose_scores_are_nearly_equal() -> None:
    rows = pairs([float(number % 5) for number in range(20)])
    sentence = same_scores(rows, 2.5 + np.arange(20) / 1e4)
    assert sentence == (
        "All 20 pairs got nearly the same score, between 2.5 and 2.5, where the right ones lie "
        "between 0 and 4."
    )
    assert same_scores(rows, np.arange(20) / 20) is None
    assert same_scores(pairs([1.0] * 20), np.full(20, 0.5)) is None
