"""ELECTRA: what the generator replaces, what is scored, and which gradients flow where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.data.token_file import Tokens
from foretext.language_model import LanguageModel
from foretext.objectives.electra import Electra
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches
from foretext.training.flops import ModelFlops
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss

SHAPE: dict[str, Any] = {
    "num_layers": 2,
    "dim": 32,
    "num_heads": 4,
    "max_length": 32,
    "init_std": 0.2,
}
CAT, DOG = 20, 30  # ids of some tokens


def electra(tokenizer: SubwordTokenizer, num_heads: int = 4, **settings: object) -> Model[Electra]:
    torch.manual_seed(0)
    shape = Transformer.Config.checked({**SHAPE, "num_heads": num_heads}, "backbone")
    backbone = Transformer(shape, tokenizer.vocab_size)
    config = Electra.Config.checked({"row_length": 24, **settings}, "objective")
    return Model(backbone, Electra(config, backbone, tokenizer)).eval()


@pytest.fixture
def model(wordpiece: SubwordTokenizer) -> Model[Electra]:
    return electra(wordpiece)


@pytest.fixture
def batch(model: Model[Electra], bert_tokens: Tokens) -> Batch:
    """Four rows."""
    return Batches(model.objective.examples(bert_tokens.train), 4, seed=1).batch(0)


def padded(batch: Batch) -> Batch:
    """The batch, with padding in its first row."""
    token_mask = torch.ones_like(batch.targets["masked"])
    token_mask[0, 15:] = False
    masked = batch.targets["masked"] & token_mask
    inputs = replace(batch.inputs, token_mask=token_mask)
    return replace(batch, inputs=inputs, targets={**batch.targets, "masked": masked})


def always(model: Model[Electra], token: int) -> None:
    """Let the generator predict one token everywhere."""
    assert model.objective.head is not None
    assert model.objective.head.bias is not None
    with torch.no_grad():
        model.objective.head.bias[token] = 1e4


def test_the_generator_is_narrow_and_shares_the_token_vectors(model: Model[Electra]) -> None:
    generator, backbone, head = model.objective.generator, model.backbone, model.objective.head
    assert isinstance(generator, Transformer)
    assert head is not None
    assert (generator.dim, generator.config.num_heads, generator.num_layers) == (8, 4, 2)
    assert generator.embedding is backbone.embedding
    assert head.weight is backbone.embedding
    whole = sum(weight.numel() for weight in model.parameters())
    parts: tuple[nn.Module, ...] = backbone, generator, head, model.objective.replaced
    apart = sum(weight.numel() for part in parts for weight in part.parameters())
    assert apart - whole == 2 * backbone.embedding.numel()


@pytest.mark.parametrize(
    ("rate", "layers", "shape"),
    [(0.5, None, (16, 4, 2)), (0.3, 1, (8, 4, 1)), (1.0, 3, (32, 4, 3))],
)
def test_its_size_is_a_setting(
    wordpiece: SubwordTokenizer, rate: float, layers: int | None, shape: tuple[int, int, int]
) -> None:
    found = electra(wordpiece, generator_rate=rate, generator_layers=layers).objective.generator
    assert isinstance(found, Transformer)
    assert (found.dim, found.config.num_heads, found.num_layers) == shape
    assert (found.config.embedding_dim is None) == (rate == 1)


def test_a_backbone_without_a_narrower_form_has_a_generator_of_its_shape(
    wordpiece: SubwordTokenizer,
) -> None:
    backbone = Recurrent(
        Recurrent.Config.checked({"vector_size": 16, "dim": 8}, "backbone"), wordpiece.vocab_size
    )
    generator = Electra(Electra.Config.checked({}, "objective"), backbone, wordpiece).generator
    assert generator is not None
    assert (generator.dim, generator.embedding is backbone.embedding) == (16, True)


def test_only_masked_positions_change_and_all_show_the_mask(
    model: Model[Electra], batch: Batch, wordpiece: SubwordTokenizer
) -> None:
    masked, original = batch.targets["masked"], batch.targets["original"]
    assert (batch.inputs.ids[masked] == wordpiece.special.required("mask")).all()
    seen = model.objective.prepare(batch, model.backbone)
    changed = seen.inputs.ids != original
    assert torch.equal(seen.targets["replaced"], changed)
    assert changed.any()
    assert not (changed & ~masked).any()


def test_a_token_that_is_drawn_again_counts_as_original(
    model: Model[Electra], batch: Batch
) -> None:
    always(model, CAT)
    original = torch.where(batch.targets["masked"], CAT, batch.targets["original"])
    same = replace(batch, targets={**batch.targets, "original": original})
    assert not model.objective.prepare(same, model.backbone).targets["replaced"].any()
    original = torch.where(batch.targets["masked"], DOG, batch.targets["original"])
    other = replace(batch, targets={**batch.targets, "original": original})
    replaced = model.objective.prepare(other, model.backbone).targets["replaced"]
    assert torch.equal(replaced, batch.targets["masked"])


@pytest.mark.slow
def test_tokens_are_drawn_as_often_as_they_are_predicted(
    model: Model[Electra], batch: Batch
) -> None:
    objective = model.objective
    assert objective.generator is not None
    assert objective.head is not None
    row, place = batch.targets["masked"].nonzero()[0].tolist()
    states = objective.generator(batch.inputs).last[row, place]
    chances = objective.head(states).softmax(-1).detach()
    counts = torch.zeros_like(chances)
    for draw in torch.linspace(0, 1, 1001)[:-1]:
        draws = torch.full_like(batch.targets["draws"], float(draw))
        drawn = replace(batch, targets={**batch.targets, "draws": draws})
        counts[objective.prepare(drawn, model.backbone).inputs.ids[row, place]] += 1
    torch.testing.assert_close(counts / 1000, chances, atol=2e-3, rtol=0)


@pytest.mark.parametrize("with_padding", [False, True])
def test_the_scores_are_those_of_the_formula(
    model: Model[Electra], batch: Batch, with_padding: bool
) -> None:
    batch = padded(batch) if with_padding else batch
    objective = model.objective
    assert objective.generator is not None
    assert objective.head is not None
    masked, original = batch.targets["masked"], batch.targets["original"]
    found, counts = model(batch), objective.counts(batch)
    logits = objective.head(objective.generator(batch.inputs).last[masked])
    expected = F.cross_entropy(logits, original[masked], reduction="sum")
    torch.testing.assert_close(found["generator"].loss, expected)
    seen = objective.prepare(batch, model.backbone)
    detector = objective.replaced
    hidden = F.gelu(detector.dense(model.backbone(seen.inputs).last))
    chances = torch.sigmoid(hidden @ detector.output.weight[0] + detector.output.bias)
    real = torch.ones_like(masked) if batch.inputs.token_mask is None else batch.inputs.token_mask
    replaced = (seen.inputs.ids != original) & real
    losses = torch.where(replaced, -chances.log(), -(1 - chances).log())
    torch.testing.assert_close(found["replaced"].loss, losses[real].sum())
    assert found["replaced"].num_correct == ((chances > 0.5) == replaced)[real].sum()
    assert found["replaced"].num_majority == (~replaced)[real].sum()
    assert found["replaced"].weight == 50
    assert counts == {"generator": int(masked.sum()), "replaced": int(real.sum())}


def test_the_loss_of_the_detection_stops_at_the_drawn_tokens(
    model: Model[Electra], batch: Batch
) -> None:
    objective = model.objective
    assert objective.generator is not None
    model(batch)["replaced"].loss.backward()
    own = [p for p in objective.generator.parameters() if p is not model.backbone.embedding]
    assert all(parameter.grad is None for parameter in own)
    assert all(parameter.grad is not None for parameter in model.backbone.parameters())
    model.zero_grad()
    model(batch)["generator"].loss.backward()
    assert all(parameter.grad is not None for parameter in own)
    body = [p for p in model.backbone.parameters() if p is not model.backbone.embedding]
    assert all(parameter.grad is None for parameter in body)


def test_a_step_draws_the_same_in_micro_batches_and_every_time(
    model: Model[Electra], bert_tokens: Tokens
) -> None:
    examples = model.objective.examples(bert_tokens.train)
    batch, again = (Batches(examples, 4, seed=1).batch(3) for _ in range(2))
    other = Batches(examples, 4, seed=1).batch(4)
    assert torch.equal(batch.targets["draws"], again.targets["draws"])
    assert not torch.equal(batch.targets["draws"], other.targets["draws"])
    whole = model.objective.prepare(batch, model.backbone).inputs.ids
    parts = [
        model.objective.prepare(batch.rows(first, first + 2), model.backbone).inputs.ids
        for first in (0, 2)
    ]
    assert torch.equal(whole, torch.cat(parts))


def test_a_detector_that_always_says_original_is_seen(
    model: Model[Electra], bert_tokens: Tokens
) -> None:
    assert bert_tokens.valid is not None
    with torch.no_grad():
        model.objective.replaced.output.bias.fill_(-1e3)
    held_out = HeldOutLoss(model.objective.examples(bert_tokens.valid, held_out=True), 4)
    figures = held_out.measure(model)
    assert figures["valid_replaced_accuracy"] == figures["valid_replaced_majority_accuracy"]
    assert 0.8 < figures["valid_replaced_accuracy"] < 0.95
    parts = figures["valid_generator_loss"], figures["valid_replaced_loss"]
    assert figures["valid_loss"] == pytest.approx(parts[0] + 50 * parts[1])


def test_operations_of_a_step_are_counted_with_the_generator(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    model = electra(wordpiece, 2, generator_rate=1.0, row_length=16)
    batch = Batches(model.objective.examples(bert_tokens.train), 4, seed=1).batch(0)
    with FlopCounterMode(display=False) as counter:
        sum(score.loss for score in model(batch).values()).backward()
    (B, T), L = batch.inputs.ids.shape, 2
    computed_again = 2 * L * (32 + 32) * T * T * B  # by our attention: its scores, on the way back
    found = ModelFlops(model).of(batch, model.objective.counts(batch))
    assert found + computed_again == counter.get_total_flops()


def test_without_a_generator_nothing_is_trained_or_filled(wordpiece: SubwordTokenizer) -> None:
    with pytest.raises(SettingError, match="without a generator no token is replaced"):
        electra(wordpiece, generator_rate=0)
    backbone = Transformer(Transformer.Config.checked(SHAPE, "backbone"), wordpiece.vocab_size)
    objective = Electra(
        Electra.Config.checked({"generator_rate": 0}, "objective"), backbone, wordpiece
    )
    with pytest.raises(SettingError, match="fill needs a masked model"):
        LanguageModel(wordpiece, backbone, objective).fill("a [MASK]")
    with pytest.raises(SettingError, match="generator_layers would have no effect"):
        Electra.Config.checked({"generator_rate": 0, "generator_layers": 2}, "objective")


def test_the_generator_fills_masks(model: Model[Electra], wordpiece: SubwordTokenizer) -> None:
    always(model, CAT)
    used = LanguageModel(wordpiece, model.backbone, model.objective)
    (answers,) = used.fill("the [MASK] barks", topn=2)
    assert answers[0].token == wordpiece.tokens[CAT]
    assert answers[0].probability == pytest.approx(1)


def test_the_generator_is_kept_with_the_model(
    model: Model[Electra], wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    used = LanguageModel(wordpiece, model.backbone, model.objective)
    used.save(tmp_path / "model")
    again = LanguageModel.load(tmp_path / "model")
    text = "the [MASK] barks in the [MASK] ."
    assert again.fill(text) == used.fill(text)
    assert np.array_equal(again.embed([text]), used.embed([text]))
    assert again.objective is not None
    theirs, ours = again.objective.state_dict(), model.objective.state_dict()
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[name], ours[name]) for name in ours)


def test_a_sample_asks_which_word_was_replaced(
    model: Model[Electra], wordpiece: SubwordTokenizer
) -> None:
    always(model, CAT)
    row = wordpiece.encode("the dog barks in the morning .")
    used = LanguageModel(wordpiece, model.backbone, model.objective)
    sample = model.objective.sample(used, row)
    assert sample is not None
    planted = wordpiece.tokens[CAT]
    assert sample["hidden"] == planted
    assert planted.removeprefix("##") in sample["text"]
    chances = [chance for _, chance in sample["answers"]]
    assert chances == sorted(chances, reverse=True)
    assert model.objective.sample(used, [wordpiece.special.required("sep")]) is None
