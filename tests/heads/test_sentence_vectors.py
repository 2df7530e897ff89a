"""The loss of sentence vectors, by the kind of their rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.heads.base import TaskBase
from foretext.heads.sentence_vectors import SCORES, TEXTS, SentenceVectorsHead
from foretext.nn.contrastive import cosent
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, gpt_body

PAIRS = {TEXTS: torch.tensor([[0, 1], [2, 3], [4, 5]])}


def task(body: TaskBase, kind: Any = "pairs", **settings: Any) -> SentenceVectorsHead:
    return SentenceVectorsHead(SentenceVectorsHead.Config(**settings), body, kind=kind)


def loss(made: SentenceVectorsHead, vectors: Tensor, targets: dict[str, Tensor] = PAIRS) -> float:
    (score,) = made.compare(vectors, targets).values()
    return score.loss.item()


def drawn(rows: int) -> Tensor:
    torch.manual_seed(3)
    return torch.randn(rows, 32)


def nearest(asked: Tensor, answers: Tensor) -> float:
    """Cross-entropy of finding answer i by question i."""
    logits = F.normalize(asked, dim=-1) @ F.normalize(answers, dim=-1).T / 0.05
    return float(F.cross_entropy(logits, torch.arange(len(asked)), reduction="sum"))


def test_pairs(wordpiece: SubwordTokenizer) -> None:
    vectors = drawn(6)
    anchors, positives = vectors[0::2], vectors[1::2]
    forwards, backwards = nearest(anchors, positives), nearest(positives, anchors)
    body = bert_body(wordpiece)
    assert loss(task(body), vectors) == pytest.approx(forwards, rel=1e-4)
    both = loss(task(body, symmetric=True), vectors)
    assert both == pytest.approx((forwards + backwards) / 2, rel=1e-4)


def test_triples_have_more_candidates(wordpiece: SubwordTokenizer) -> None:
    vectors = drawn(9)
    texts = {TEXTS: torch.arange(9).unflatten(0, (3, 3))}
    anchors, positives, negatives = vectors[0::3], vectors[1::3], vectors[2::3]
    found = loss(task(bert_body(wordpiece), "triples"), vectors, texts)
    assert found == pytest.approx(nearest(anchors, torch.cat([positives, negatives])), rel=1e-4)


def test_scores(wordpiece: SubwordTokenizer) -> None:
    vectors, scores = drawn(6), torch.tensor([1.0, 3.0, 2.0])
    cosines = F.cosine_similarity(vectors[0::2], vectors[1::2])
    found = loss(task(bert_body(wordpiece), "scores"), vectors, {SCORES: scores})
    assert found == pytest.approx(3 * float(cosent(cosines, scores, 0.05)), rel=1e-4)


def test_short_vectors_are_learned_beside_the_whole(wordpiece: SubwordTokenizer) -> None:
    vectors, body = drawn(6), bert_body(wordpiece)
    parts = [nearest(vectors[0::2, :dim], vectors[1::2, :dim]) for dim in (4, 16, 32)]
    found = loss(task(body, dims=[4, 16]), vectors)
    assert found == pytest.approx(sum(parts) / 3, rel=1e-4)


def test_a_repeated_text_is_no_negative(wordpiece: SubwordTokenizer) -> None:
    vectors = drawn(6)
    vectors[5] = vectors[1]  # the positives of the first and of the last pair are one text
    same = {TEXTS: torch.tensor([[0, 1], [2, 3], [4, 1]])}
    made = task(bert_body(wordpiece))
    assert loss(made, vectors, same) < loss(made, vectors) - 0.3


def test_the_projection_is_there_in_training_alone(wordpiece: SubwordTokenizer) -> None:
    made = task(bert_body(wordpiece), projection=True)
    states, inputs = States(torch.randn(2, 5, 32)), Inputs(torch.zeros(2, 5, dtype=torch.int64))
    batch: Any = type("Batch", (), {"inputs": inputs})
    whole = made.outputs(states, inputs)
    assert torch.equal(made.eval().vectors(states, batch), whole)
    assert made.train().vectors(states, batch).abs().max().item() <= 1.0  # tanh
    assert not torch.equal(made.vectors(states, batch), whole)


def test_the_pooling_of_a_sentence_encoder_is_kept(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    assert task(body).pooling == "mean"
    assert task(body._replace(sentence_pooling="cls")).pooling == "cls"
    assert task(body._replace(sentence_pooling="cls"), pooling="max").pooling == "max"


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("texts", {"symmetric": True}, "symmetric has no effect on rows of texts"),
    ("pairs", {"dims": [8, 32]}, "the vectors of the base have 32 numbers"),
    ("both", {}, "rows of the kind 'both'"),
]


@pytest.mark.parametrize(("kind", "settings", "cause"), REFUSED)
def test_what_cannot_work(
    wordpiece: SubwordTokenizer, kind: str, settings: dict[str, Any], cause: str
) -> None:
    with pytest.raises(SettingError, match=cause):
        task(bert_body(wordpiece), kind, **settings)


@pytest.mark.parametrize(
    ("settings", "cause"),
    [({"projection": True, "dims": [8]}, "would teach the layer"), ({"dims": [8, 8]}, "twice")],
)
def test_settings_that_exclude_each_other(settings: dict[str, Any], cause: str) -> None:
    with pytest.raises(SettingError, match=cause):
        SentenceVectorsHead.Config.checked(settings, "task")


def test_the_first_position_of_a_causal_model_sees_nothing(byte_bpe: SubwordTokenizer) -> None:
    with pytest.raises(SettingError, match="first position of a causal model"):
        task(gpt_body(byte_bpe), pooling="cls")
