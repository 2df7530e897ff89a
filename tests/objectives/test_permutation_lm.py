"""Permutation language modelling: its batches, its loss, and that no answer is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import foretext as ft
from foretext.backbones.transformer import Transformer
from foretext.backbones.xlnet import XLNet
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.data.token_file import Tokens
from foretext.objectives.permutation_lm import (
    PermutationLM,
    choose_predicted,
    draw_order,
    predicted_first,
    visible_keys,
)
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model

LENGTH = 32
SHAPE = {"num_layers": 2, "dim": 32, "num_heads": 2, "max_length": 40}

Maker = Callable[[SubwordTokenizer], Model[Any]]


def model(tokenizer: SubwordTokenizer, **settings: Any) -> Model[Any]:
    torch.manual_seed(0)
    backbone = XLNet(XLNet.Config(**SHAPE, cls_segment=True, init_std=0.3), tokenizer.vocab_size)
    config = PermutationLM.Config(**{"row_length": LENGTH, **settings})
    return Model(backbone, PermutationLM(config, backbone, tokenizer)).eval()


def batch_of(made: Model[Any], tokens: Tokens, seed: int = 0, rows: int = 6) -> Batch:
    examples = made.objective.examples(tokens.train)
    return examples.batch(
        examples.keys(np.random.default_rng(0))[:rows], np.random.default_rng(seed)
    )


def test_a_row_is_text_sep_cls(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    made = model(wordpiece)
    ids = batch_of(made, bert_tokens).inputs.ids[:, :LENGTH]
    special = wordpiece.special
    assert (ids[:, -2] == special.sep).all()
    assert (ids[:, -1] == special.cls).all()
    assert (ids[:, :-2] != special.cls).all()


def test_queries_ask_for_tokens_of_the_row(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    batch = batch_of(model(wordpiece), bert_tokens)
    inputs, asked = batch.inputs, batch.targets["predicted"]
    assert inputs.positions is not None
    assert inputs.num_queries == inputs.ids.shape[1] - LENGTH
    assert not asked[:, :LENGTH].any()
    assert (inputs.ids[:, LENGTH:] == wordpiece.special.mask).all()
    places = inputs.positions[:, LENGTH:]
    taken = inputs.ids.gather(1, places)
    assert torch.equal(batch.targets["original"][:, LENGTH:], taken)
    assert torch.from_numpy(wordpiece.ordinary)[taken[asked[:, LENGTH:]]].all()
    for row, real in zip(places, asked[:, LENGTH:], strict=True):
        assert len(set(row[real].tolist())) == int(real.sum()) > 0


def test_batches_come_from_seed_and_keys_alone(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    made = model(wordpiece)
    first, same, other = (batch_of(made, bert_tokens, seed) for seed in (1, 1, 2))
    assert torch.equal(first.inputs.visible, same.inputs.visible)
    assert torch.equal(first.inputs.positions, same.inputs.positions)
    assert not torch.equal(first.inputs.visible[:, :LENGTH], other.inputs.visible[:, :LENGTH])


def losses(made: Model[Any], batch: Batch) -> Tensor:
    """-log P of each predicted token, in the order of rows and positions."""
    with torch.no_grad():
        inputs = replace(batch.inputs, needed="all")
        states = made.backbone(inputs).last[batch.targets["predicted"]]
        logits = made.objective.head(states)
    targets = batch.targets["original"][batch.targets["predicted"]]
    return torch.nn.functional.cross_entropy(logits, targets, reduction="none")


def test_the_loss_is_that_of_the_queries(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    made = model(wordpiece)
    batch = batch_of(made, bert_tokens)
    (score,) = made(batch).values()
    assert made.objective.counts(batch) == {"permutation_lm": len(losses(made, batch))}
    assert score.loss.item() == pytest.approx(losses(made, batch).sum().item(), rel=1e-5)


def orders(batch: Batch) -> list[dict[int, int]]:
    """For each row, the place in the order of each position that is predicted."""
    found = []
    for visible, places, asked in zip(
        batch.inputs.visible, batch.inputs.positions, batch.targets["predicted"], strict=True
    ):
        seen = {int(places[q]): int(visible[q].sum()) for q in asked.nonzero()[:, 0]}
        found.append(seen)
    return found


def of_transformer(tokenizer: SubwordTokenizer) -> Model[Any]:
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SHAPE, init_std=0.3), tokenizer.vocab_size)
    config = PermutationLM.Config(row_length=LENGTH)
    return Model(backbone, PermutationLM(config, backbone, tokenizer)).eval()


@pytest.mark.parametrize("make", [model, of_transformer])
def test_no_answer_is_seen(make: Maker, wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    """Another token at a predicted position changes only predictions later in the order."""
    made = make(wordpiece)
    batch = batch_of(made, bert_tokens)
    before, order = _logits(made, batch), orders(batch)
    for row, places in enumerate(order):
        for position, place in places.items():
            ids = batch.inputs.ids.clone()
            ids[row, position] = 5 + (ids[row, position] + 1) % 50
            after = _logits(made, replace(batch, inputs=replace(batch.inputs, ids=ids)))
            for query in batch.targets["predicted"][row].nonzero()[:, 0].tolist():
                other = places[int(batch.inputs.positions[row, query])]
                moved = not torch.allclose(before[row, query], after[row, query], atol=1e-6)
                assert moved == (other > place), (position, query)


def _logits(made: Model[Any], batch: Batch) -> Tensor:
    with torch.no_grad():
        inputs = replace(batch.inputs, needed="all")
        logits: Tensor = made.objective.head(made.backbone(inputs).last)
    return logits


def test_parts_of_a_batch_add_up(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    """Micro-batches lose the padding of queries, and no prediction."""
    made = model(wordpiece)
    batch = batch_of(made, bert_tokens, rows=5)
    whole = losses(made, batch)
    parts = torch.cat([losses(made, batch.rows(i, i + 1)) for i in range(len(batch))])
    torch.testing.assert_close(parts, whole, rtol=1e-4, atol=1e-4)
    assert batch.rows(0, 1).inputs.ids.shape[1] <= batch.inputs.ids.shape[1]


def test_queries_are_no_tokens_that_were_read(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    batch = batch_of(model(wordpiece), bert_tokens, rows=3)
    assert batch.inputs.num_tokens == 3 * LENGTH


def language_model(tokenizer: SubwordTokenizer) -> ft.LanguageModel:
    framed = with_frame(tokenizer, "xlnet")
    made = model(framed)
    return ft.LanguageModel(framed, made.backbone, made.objective, device="cpu")


def test_filling_asks_a_query_that_sees_all_but_the_masks(wordpiece: SubwordTokenizer) -> None:
    used = language_model(wordpiece)
    answers = used.fill("the [MASK] barks in the [MASK] .", topn=3)
    assert [len(each) for each in answers] == [3, 3]
    objective: Any = used.objective
    special = wordpiece.special
    text = wordpiece.encode("the [MASK] barks in the [MASK] .")
    ids = torch.tensor([[*text, special.sep, special.cls]])
    masked = ids == special.mask
    with torch.no_grad():
        states = objective.states_of_masks(used.backbone, ids, masked)
        other = objective.states_of_masks(used.backbone, ids.masked_fill(masked, 7), masked)
        best = objective.head(states).softmax(-1)
    assert states.shape == (2, 32)
    torch.testing.assert_close(states, other)  # what stands at a mask is not read
    first = used.tokenizer.tokens.index(answers[0][0].token)
    assert answers[0][0].probability == pytest.approx(float(best[0, first]), rel=1e-4)


def test_texts_are_framed_as_in_training(wordpiece: SubwordTokenizer) -> None:
    used, special = language_model(wordpiece), wordpiece.special
    tokens = used.layers("the dog").tokens
    names = [wordpiece.tokens[index] for index in (special.sep, special.cls)]
    assert tokens[-2:] == names
    assert tokens[0] != names[1]


def test_a_backbone_without_a_matrix_is_refused(wordpiece: SubwordTokenizer) -> None:
    from foretext.backbones.textcnn import TextCNN

    backbone = TextCNN(TextCNN.Config(), wordpiece.vocab_size)
    with pytest.raises(SettingError, match="needs matrix visibility"):
        Model(backbone, PermutationLM(PermutationLM.Config(tied=False), backbone, wordpiece))


def test_it_needs_a_mask_token(byte_bpe: SubwordTokenizer) -> None:
    backbone = XLNet(XLNet.Config(**SHAPE), byte_bpe.vocab_size)
    with pytest.raises(SettingError, match="no mask token"):
        PermutationLM(PermutationLM.Config(), backbone, byte_bpe)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_worked_example() -> None:
    """Of four tokens 2 is predicted first, from 1 and 3, then 0 from 1, 2 and 3."""
    order = np.array([[2, 0, 1, 0]])
    positions = predicted_first(order > 0)
    assert positions.tolist() == [[0, 2]]
    assert visible_keys(order, positions).astype(int).tolist() == [
        [
            [1, 1, 1, 1],  # token 0, the last one of the order
            [0, 1, 0, 1],  # token 1 is not predicted
            [0, 1, 1, 1],  # token 2
            [0, 1, 0, 1],  # token 3 is not predicted
            [0, 1, 1, 1],  # the query for token 0: all but itself
            [0, 1, 0, 1],  # the query for token 2
        ]
    ]


@pytest.mark.parametrize("tokens_per_prediction", [1, 3, 6])
@pytest.mark.parametrize("max_span", [1, 5])
def test_one_token_of_so_many_is_predicted(tokens_per_prediction: int, max_span: int) -> None:
    eligible = np.ones((400, 120), np.bool_)
    chosen = choose_predicted(eligible, tokens_per_prediction, max_span, rng())
    assert chosen.mean() == pytest.approx(1 / tokens_per_prediction, rel=0.02)


def test_tokens_are_predicted_in_spans() -> None:
    chosen = choose_predicted(np.ones((50, 300), np.bool_), 6, 5, rng())
    edges = np.diff(chosen.astype(int), axis=1, prepend=0, append=0)
    lengths = np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)
    counts = np.bincount(lengths)
    assert (counts[1:6] > 0.1 * len(lengths)).all()
    alone = choose_predicted(np.ones((50, 300), np.bool_), 6, 1, rng())
    assert (alone[:, 1:] & alone[:, :-1]).mean() < 0.05  # by chance, at the edges of windows


def test_every_position_is_predicted_as_often() -> None:
    chosen = choose_predicted(np.ones((4_000, 60), np.bool_), 6, 5, rng())
    assert chosen.mean(axis=0)[5:].std() < 0.03


def test_special_tokens_are_never_predicted() -> None:
    eligible = np.random.default_rng(1).random((50, 40)) < 0.7
    assert not choose_predicted(eligible, 2, 5, rng())[~eligible].any()


def test_each_row_has_a_prediction_if_it_has_a_token() -> None:
    eligible = np.zeros((3, 30), np.bool_)
    eligible[0, 7] = True
    eligible[2, :2] = True
    for seed in range(20):
        chosen = choose_predicted(eligible, 6, 5, np.random.default_rng(seed))
        assert chosen[0].sum() == 1
        assert not chosen[1].any()
        assert chosen[2].sum() >= 1


def test_the_order_is_one_of_the_predicted_tokens() -> None:
    predicted = np.random.default_rng(1).random((100, 20)) < 0.4
    order = draw_order(predicted, rng())
    assert not order[~predicted].any()
    for row, asked in zip(order, predicted, strict=True):
        assert sorted(row[asked]) == list(range(1, asked.sum() + 1))


def test_all_orders_are_equally_likely() -> None:
    predicted = np.ones((6_000, 3), np.bool_)
    orders, counts = np.unique(draw_order(predicted, rng()), axis=0, return_counts=True)
    assert len(orders) == 6
    assert counts.min() > 900


def test_positions_are_filled_up_to_a_multiple() -> None:
    predicted = np.zeros((2, 30), np.bool_)
    predicted[0, [3, 9, 20]] = predicted[1, 5] = True
    positions = predicted_first(predicted, 4)
    assert positions.shape == (2, 4)
    assert positions[0, :3].tolist() == [3, 9, 20]
    assert positions[1, 0] == 5


def test_no_predicted_token_sees_itself_or_what_comes_after_it() -> None:
    predicted = np.random.default_rng(1).random((20, 24)) < 0.4
    order = draw_order(predicted, rng())
    positions = predicted_first(predicted)
    visible = visible_keys(order, positions)
    T = order.shape[1]
    for b in range(len(order)):
        for query, position in enumerate(positions[b]):
            if predicted[b, position]:
                seen = visible[b, T + query]
                assert not seen[order[b] >= order[b, position]].any()
                assert seen[order[b] < order[b, position]].all()
        assert visible[b, :T].diagonal().all()
