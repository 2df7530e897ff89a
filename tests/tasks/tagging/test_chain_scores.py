"""Scores of a chain without PyTorch: the same as the network's CRF has."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from foretext.heads.tag_set import TagSet
from foretext.heads.tagging import TaggingHead
from foretext.tasks.tagging.chain_regression import Lawful
from foretext.tasks.tagging.chain_scores import ChainScores
from foretext.tasks.tagging.scores import SentenceScores
from tests.text_bodies import word_body

LABELS = ["B-X", "I-X", "O"]
LENGTHS = (4, 0, 5, 1)


def both(seed: int = 0) -> tuple[ChainScores, SentenceScores]:
    torch.manual_seed(seed)
    head = TaggingHead(TaggingHead.Config(crf=True), word_body("lookup"), labels=LABELS)
    assert head.crf is not None
    torch.nn.init.zeros_(head.crf.start)
    torch.nn.init.zeros_(head.crf.end)
    torch.nn.init.normal_(head.crf.transitions)
    rng = np.random.default_rng(seed)
    rows = [rng.normal(size=(T, 3)).astype(np.float32) for T in LENGTHS]
    lawful, starts = Lawful.of(LABELS, "IOB2"), np.cumsum([0, *LENGTHS])
    scores = lawful.bounded(np.concatenate(rows).astype(np.float64), starts)
    steps = head.crf.transitions.detach().double().numpy()
    chain = ChainScores(TagSet(LABELS), scores, np.where(lawful.steps, steps, -np.inf), starts)
    return chain, SentenceScores(head, rows)


def test_paths_and_probabilities_are_those_of_the_network() -> None:
    ours, theirs = both()
    assert ours.indices() == theirs.indices()
    assert ours.tags() == theirs.tags()
    assert ours.plain_tags() == theirs.plain_tags()
    np.testing.assert_allclose(ours.confidences(), theirs.confidences(), atol=1e-5)
    for one, other in zip(ours.probabilities(), theirs.probabilities(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_the_best_path_is_that_of_all() -> None:
    (scores, _), tags = both(1), range(3)
    alone = ChainScores(scores.tag_set, scores.scores[:4], scores.steps, np.array([0, 4]))
    totals = {
        path: alone.path_score(alone.scores, [*path]) for path in itertools.product(tags, repeat=4)
    }
    best = alone.best()
    assert tuple(best.tags) == max(totals, key=lambda path: totals[path])
    total = float(np.logaddexp.reduce([*totals.values()]))
    assert best.log_probability == pytest.approx(totals[tuple(best.tags)] - total)


def test_no_tokens_have_no_tags() -> None:
    tag_set = TagSet(LABELS)
    for starts in ([0], [0, 0]):
        empty = ChainScores(tag_set, np.zeros((0, 3)), np.zeros((3, 3)), np.array(starts))
        number = len(starts) - 1
        assert empty.tags() == [[]] * number
        assert [each.shape for each in empty.probabilities()] == [(0, 3)] * number
        assert empty.confidences().tolist() == [1.0] * number
