"""Answers that are all alike, in every kind of task."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.data.rows import Answer, LabelledPair, Question, TaggedSentence
from foretext.heads.tag_set import TagSet
from foretext.tasks.score_answers import ScoreAnswers
from foretext.tasks.span_qa.answers import SpanAnswers, SpanChoice
from foretext.tasks.span_qa.readings import Reading
from foretext.tasks.tagging.answers import TagAnswers

PASSAGE = "the cat purrs and the dog barks"


def asked(number: int) -> Question:
    text = ("cat", "dog")[number % 2]
    return Question("q", "who ?", PASSAGE, (Answer(text, PASSAGE.find(text)),), "", "a.json:q")


def given(texts: list[str]) -> SpanAnswers:
    """Answers of a reader that finds these texts, "" for none."""
    starts = [PASSAGE.find(text) for text in texts]
    spans = [(at, at + len(text)) if text else None for at, text in zip(starts, texts, strict=True)]
    readings = [Reading.of_span(PASSAGE, span) for span in spans]
    return SpanAnswers(readings, SpanChoice(may_abstain=True))


def tags(given: list[list[str]]) -> TagAnswers:
    return TagAnswers(given, TagSet(["B-LOC", "B-PER", "I-PER", "O"], "IOB2"))


def sentences(gold: list[list[str]]) -> list[TaggedSentence]:
    return [TaggedSentence(("a",) * len(own), tuple(own), "f", (1,) * len(own)) for own in gold]


def pairs(scores: list[float]) -> list[LabelledPair]:
    return [LabelledPair("a", "b", None, score, "a.csv:1") for score in scores]


@pytest.mark.parametrize(
    ("texts", "shown"),
    [(["cat"], "'cat'"), ([""], "none"), (["the", "the cat"], "one from character 0 on")],
)
def test_a_reader_that_always_answers_alike(texts: list[str], shown: str) -> None:
    rows = [asked(number) for number in range(12)]
    sentence = given([texts[i % len(texts)] for i in range(12)]).degenerate(rows)
    assert sentence is not None
    assert f"got the same answer, {shown}, although 2 different" in sentence
    assert given(["cat", "dog"] * 6).degenerate(rows) is None
    alike = [asked(0)] * 12
    assert given(["cat"] * 12).degenerate(alike) is None  # and that is right


def test_a_tagger_that_finds_no_entity() -> None:
    gold, nothing = [["B-PER", "I-PER", "O"]] * 12, [["O", "O", "O"]] * 12
    assert tags(nothing).degenerate(sentences(gold)) == (
        "No entity was found in 12 sentences, which hold 12."
    )
    assert tags([*nothing[1:], ["O", "O", "B-LOC"]]).degenerate(sentences(gold)) is None
    assert tags(nothing).degenerate(sentences(nothing)) is None
    assert tags(nothing[:3]).degenerate(sentences(gold[:3])) is None  # too few to tell
    words = TagAnswers([["N", "N"]] * 12, TagSet(["N", "V"], None))
    told = words.degenerate(sentences([["N", "V"]] * 12))
    assert told is not None
    assert told.startswith("All 24 tokens got the same answer, 'N'")


def test_a_matcher_whose_scores_are_nearly_equal() -> None:
    rows = pairs([float(number % 5) for number in range(20)])
    sentence = ScoreAnswers(2.5 + np.arange(20) / 1e4).degenerate(rows)
    assert sentence == (
        "All 20 pairs got nearly the same score, between 2.5 and 2.5, where the right ones lie "
        "between 0 and 4."
    )
    assert ScoreAnswers(np.arange(20) / 20).degenerate(rows) is None
    assert ScoreAnswers(np.full(20, 0.5)).degenerate(pairs([1.0] * 20)) is None
