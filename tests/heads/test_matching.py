"""Matching in its three modes, each against the sums of its paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from foretext.backbones.base import States
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.heads.answers import RealNumber
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead, match_mode
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import random_inputs
from tests.text_bodies import bert_body, gpt_body, word_body

LABELS = ["no", "yes"]
V = 100


def computed(body: TaskBase, rows: int = 4) -> tuple[States, Inputs]:
    """States of some rows, of which the second is short."""
    mask = torch.arange(9) < torch.tensor([9, 4, 9, 9, 7, 9][:rows])[:, None]
    inputs = random_inputs(
        min(V, body.backbone.vocab_size), (rows, 9), token_mask=mask, visibility=body.visibility
    )
    with torch.no_grad():
        return body.backbone.eval()(inputs), inputs


def test_each_body_has_the_mode_that_suits_it(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer
) -> None:
    def mode(body: TaskBase, *, has_scores: bool = False, **settings: Any) -> str:
        return match_mode(MatchingHead.Config(**settings), body, has_scores=has_scores)

    bert = bert_body(wordpiece)
    assert mode(bert) == mode(bert, has_scores=True) == "pair"
    assert mode(gpt_body(byte_bpe)) == "both_orders"
    assert mode(word_body("recurrent")) == "siamese"
    assert mode(bert, mode="siamese") == "siamese"


def test_a_sentence_encoder_learns_scores_as_cosines(wordpiece: SubwordTokenizer) -> None:
    encoder = bert_body(wordpiece)._replace(sentence_pooling="cls")
    task = MatchingHead(MatchingHead.Config(), encoder, lowest=0.0, highest=5.0)
    assert (task.mode, task.pooling, task.marks_tokens) == ("siamese", "cls", False)
    assert task.head.pooler is None  # the cosine is that of the states themselves
    assert task.sentence_pooling == "cls"
    assert MatchingHead(MatchingHead.Config(), encoder, labels=LABELS).mode == "pair"
    for chosen in ({"mode": "pair"}, {"shared_tokens": True}):
        assert MatchingHead(MatchingHead.Config(**chosen), encoder).mode == "pair"


def test_small_networks_mark_the_tokens_of_both_texts(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(), body, labels=LABELS)
    assert task.marks_tokens
    assert task.config.shared_tokens is True
    assert body.backbone.num_segments == 4
    chosen = MatchingHead.Config(shared_tokens=False)
    assert not MatchingHead(chosen, bert_body(wordpiece), labels=LABELS).marks_tokens


@torch.no_grad()
def test_a_pair_in_one_row_is_classified_by_its_first_state(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(pooling="cls"), body, labels=LABELS).eval()
    states, inputs = computed(body, 3)
    assert task.head.pooler is not None
    assert task.classifier is not None
    expected = task.classifier(torch.tanh(task.head.pooler(states.last[:, 0])))
    torch.testing.assert_close(task.outputs(states, inputs), expected)
    assert task.group == 1


@torch.no_grad()
def test_states_of_both_orders_are_added(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    task = MatchingHead(MatchingHead.Config(), body, labels=LABELS).eval()
    states, inputs = computed(body)
    last = states.last
    assert task.classifier is not None
    expected = task.classifier(torch.stack([last[0, 8] + last[1, 3], last[2, 8] + last[3, 8]]))
    torch.testing.assert_close(task.outputs(states, inputs), expected)
    assert task.group == 2


@torch.no_grad()
def test_siamese_labels_come_of_both_means_and_their_difference(
    wordpiece: SubwordTokenizer,
) -> None:
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(mode="siamese"), body, labels=LABELS).eval()
    states, inputs = computed(body)
    assert task.classifier is not None
    rows = [(states.last[0].mean(0), states.last[1, :4].mean(0)), states.last[2:].mean(1)]
    known = torch.stack([torch.cat([u, v, (u - v).abs()]) for u, v in rows])
    expected = F.linear(known, task.classifier.weight, task.classifier.bias)
    torch.testing.assert_close(task.outputs(states, inputs), expected)


@torch.no_grad()
def test_a_siamese_score_is_the_cosine(wordpiece: SubwordTokenizer) -> None:
    """As the loss of sentence-transformers' CosineSimilarityLoss has it."""
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(mode="siamese"), body, lowest=0.0, highest=5.0)
    states, inputs = computed(body)
    u, v = states.last[0].mean(0), states.last[1, :4].mean(0)
    outputs = task.outputs(states, inputs)
    torch.testing.assert_close(outputs[0, 0], u @ v / (u.norm() * v.norm()))
    targets = torch.tensor([0.2, 1.0])
    score = task.scores(states, Batch(inputs, {"numbers": targets}, 2))["matching"]
    torch.testing.assert_close(score.loss / 2, F.mse_loss(outputs[:, 0], targets))
    assert not list(task.parameters())


def test_scores_of_a_pair_in_one_row_come_of_a_linear_map(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(), body, lowest=1.0, highest=5.0)
    assert isinstance(task.answers, RealNumber)
    assert task.outputs(*computed(body)).shape == (4, 1)
    assert task.found == {"lowest": 1.0, "highest": 5.0}


@torch.no_grad()
def test_the_auxiliary_loss_reads_both_orders(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    task = MatchingHead(MatchingHead.Config(language_model_weight=0.5), body, labels=LABELS)
    states, inputs = computed(body)
    batch = Batch(inputs, {"labels": torch.tensor([0, 1])}, 2)
    assert task.counts(batch) == {"matching": 2, "language_model": 8 + 3 + 8 + 8}
    assert set(task.scores(states, batch)) == {"matching", "language_model"}


@torch.no_grad()
@pytest.mark.parametrize("weight", [0.5, 2.0])
@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_both_orders_with_both_losses_by_hand(
    byte_bpe: SubwordTokenizer, pooling: str, weight: float
) -> None:
    """Radford et al. 2018, 3.2 and 3.3: states of both orders are added, L3 = L2 + λ L1.

    L2 is the mean over the pairs, L1 that over the next tokens of both orders.
    """
    body, lengths = gpt_body(byte_bpe), [9, 4, 9, 9]
    settings = {"pooling": pooling, "language_model_weight": weight, "dropout": 0.0}
    task = MatchingHead(MatchingHead.Config.checked(settings, "task"), body, labels=LABELS).eval()
    states, inputs = computed(body)
    batch = Batch(inputs, {"labels": torch.tensor([0, 1])}, 2)
    counts, scores = task.counts(batch), task.scores(states, batch)
    ours = sum(score.part_of_loss(counts[name]).item() for name, score in scores.items())

    rows = [row[:length].numpy() for row, length in zip(states.last, lengths, strict=True)]
    pooled = [row[-1] if pooling == "last" else row.mean(0) for row in rows]
    assert task.classifier is not None
    pairs = np.stack((pooled[0] + pooled[1], pooled[2] + pooled[3]))
    logits = pairs @ task.classifier.weight.numpy().T + task.classifier.bias.numpy()
    of_labels = [costs(logits[0], 0), costs(logits[1], 1)]
    assert body.vocabulary_head is not None
    of_tokens = [
        costs(body.vocabulary_head(torch.from_numpy(row[t])).numpy(), int(ids[t + 1]))
        for row, ids in zip(rows, inputs.ids, strict=True)
        for t in range(len(row) - 1)
    ]
    assert len(of_tokens) == 8 + 3 + 8 + 8
    assert ours == pytest.approx(np.mean(of_labels) + weight * np.mean(of_tokens), rel=1e-4)


def costs(logits: np.ndarray, target: int) -> float:
    """-log softmax of a target."""
    exact = logits.astype(np.float64)
    return float(np.log(np.exp(exact - exact.max()).sum()) + exact.max() - exact[target])


def test_what_the_rows_told_makes_the_same_task_again(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    task = MatchingHead(MatchingHead.Config(balanced=True), body, labels=LABELS, counts=[3, 1])
    assert task.found == {"labels": LABELS}
    MatchingHead(task.config, body, **task.found).load_state_dict(task.state_dict())


def test_words_have_nothing_to_stand_between_two_texts() -> None:
    with pytest.raises(SettingError, match="mode = 'pair': the base has no token to separate"):
        MatchingHead(MatchingHead.Config(mode="pair"), word_body("textcnn"), labels=LABELS)


def test_texts_apart_share_no_row(wordpiece: SubwordTokenizer) -> None:
    for body in (bert_body(wordpiece), word_body("textcnn")):
        config = MatchingHead.Config(mode="siamese", shared_tokens=True)
        with pytest.raises(SettingError, match="shared_tokens needs both texts in one row"):
            MatchingHead(config, body, labels=LABELS)


@pytest.mark.parametrize("setting", [{"label_smoothing": 0.1}, {"balanced": True}])
def test_scores_refuse_settings_of_labels(
    wordpiece: SubwordTokenizer, setting: dict[str, float]
) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(setting))} would have no effect on scores"):
        MatchingHead(MatchingHead.Config(**setting), bert_body(wordpiece))


@pytest.mark.parametrize("setting", [{"dropout": 0.2}, {"bias": False}])
def test_a_cosine_refuses_settings_of_a_linear_map(setting: dict[str, float]) -> None:
    with pytest.raises(SettingError, match="would have no effect on the cosine of two texts"):
        MatchingHead(MatchingHead.Config(**setting), word_body("lookup"))
