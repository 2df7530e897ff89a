"""Scores of sentences, decoded many at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.heads.tagging import TaggingHead
from foretext.tasks.tagging import scores as sentence_scores
from foretext.tasks.tagging.scores import SentenceScores
from tests.text_bodies import word_body


@pytest.mark.parametrize("crf", [True, False])
def test_sentences_are_decoded_as_if_alone(crf: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_scores, "AT_ONCE", 12)
    torch.manual_seed(1)
    task = TaggingHead(TaggingHead.Config(crf=crf), word_body("lookup"), labels=["A", "B", "C"])
    rng = np.random.default_rng(1)
    rows = [rng.normal(size=(T, 3)).astype(np.float32) for T in (4, 0, 5, 20, 1, 1, 3)]
    together = SentenceScores(task, rows)
    sizes = [block.shape[:2] for block, _ in together._blocks()]
    assert sizes == [(2, 4), (1, 5), (1, 20), (3, 3)]
    alone = [SentenceScores(task, [row]) for row in rows]
    assert together.indices() == [each.indices()[0] for each in alone]
    for one, own in zip(together.probabilities(), alone, strict=True):
        np.testing.assert_allclose(one, own.probabilities()[0], atol=1e-6)
    assert SentenceScores(task, []).tags() == []


@pytest.mark.parametrize("crf", [True, False])
def test_a_sentence_is_as_sure_as_its_tokens_whatever_its_length(crf: bool) -> None:
    torch.manual_seed(1)
    task = TaggingHead(TaggingHead.Config(crf=crf), word_body("lookup"), labels=["A", "B"])
    if task.crf is not None:  # tags that know nothing of each other
        for parameter in task.crf.parameters():
            torch.nn.init.zeros_(parameter)
    row = np.log(np.array([[0.9, 0.1]], np.float32))
    other = np.log(np.array([[0.4, 0.6]], np.float32))
    rows = [row, np.tile(row, (7, 1)), np.concatenate([row, other]), row[:0]]
    found = SentenceScores(task, rows).confidences()
    np.testing.assert_allclose(found, [0.9, 0.9, (0.9 * 0.6) ** 0.5, 1.0], atol=1e-6)
    assert SentenceScores(task, []).confidences().shape == (0,)


def test_a_temperature_evens_probabilities_out() -> None:
    task = TaggingHead(TaggingHead.Config(crf=False), word_body("lookup"), labels=["A", "B"])
    scores = SentenceScores(task, [np.log(np.array([[16.0, 1.0]], np.float32))])
    np.testing.assert_allclose(scores.probabilities(4.0)[0], [[2 / 3, 1 / 3]], atol=1e-6)
