"""Rates by layer and frozen layers: exactly the scaled updates, and not one bit of a frozen one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from foretext.backbones.lookup import Lookup
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.objectives.causal_lm import CausalLM
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.adamw import AdamW
from foretext.training.flat_optimizer import FlatOptimizer
from foretext.training.flat_parameters import FlatParameters
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.optimizer import freeze, layers_of, rates
from foretext.training.settings import TrainingConfig
from tests.networks import bert, gpt

NOWHERE = RunContext(Path())
ADAMW: dict[str, Any] = {"betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1}


@pytest.fixture
def model(wordpiece: SubwordTokenizer) -> Model:
    """Two blocks, the head of masked language modelling and that of next sentences."""
    return bert(wordpiece, next_sentence=True)


def test_layers(byte_bpe: SubwordTokenizer) -> None:
    layers = layers_of(gpt(byte_bpe).backbone)
    assert layers["embeddings.tokens.weight"] == layers["embeddings.positions.weight"] == 0
    assert layers["blocks.0.attention.output.weight"] == 1
    assert layers["blocks.1.feed_forward.outer.bias"] == 2
    assert layers["final_norm.weight"] == 2


@pytest.mark.parametrize(("kind", "found"), [(Recurrent, {0, 1}), (TextCNN, {0, 1}), (Lookup, {0})])
def test_layers_over_word_vectors(
    kind: type[Lookup | Recurrent | TextCNN], found: set[int]
) -> None:
    layers = layers_of(kind(kind.Config(characters="cnn"), 20, 9))
    assert set(layers.values()) == found
    assert {layer for name, layer in layers.items() if name.startswith("tokens.")} == {0}


def test_vectors_stay_while_characters_learn(byte_bpe: SubwordTokenizer) -> None:
    config = Recurrent.Config(characters="cnn", bidirectional=False)
    network = Recurrent(config, byte_bpe.vocab_size, num_characters=9)
    model = Model(network, CausalLM(CausalLM.Config(tied=False), network, byte_bpe))
    (vectors,) = freeze(model, TrainingConfig(freeze="vectors"))
    assert vectors is network.embedding
    still = {name for name, p in network.named_parameters() if not p.requires_grad}
    assert still == {"tokens.vectors.weight"}


def test_rates_fall_from_the_head_down(model: Model) -> None:
    found = rates(model, TrainingConfig(layer_decay=0.5, head_rate=3.0))
    assert found["objective.head.bias"] == found["objective.next_sentence.pooler.weight"] == 3.0
    assert found["backbone.blocks.1.attention.output.weight"] == 0.5
    assert found["backbone.blocks.0.attention.output.weight"] == 0.25
    assert (
        found["backbone.embeddings.tokens.weight"]
        == found["backbone.embeddings.norm.bias"]
        == 0.125
    )
    assert found.keys() == dict(model.named_parameters()).keys()


@pytest.mark.parametrize("with_kernel", [True, False])
def test_updates_are_those_of_torchs_parameter_groups(
    model: Model, wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch, with_kernel: bool
) -> None:
    twin = bert(wordpiece, next_sentence=True)
    factors = rates(model, TrainingConfig(layer_decay=0.7, head_rate=2.0))
    flat = FlatParameters(model, rates=factors)
    ours = FlatOptimizer(flat, [AdamW(flat, **ADAMW)])
    if not with_kernel:
        monkeypatch.setattr(AdamW, "_move_by_kernel", AdamW._move_by_torch)
    groups = [
        {"params": [p], "lr": 0.01 * factors[name], "weight_decay": 0.1 if p.dim() > 1 else 0.0}
        for name, p in twin.named_parameters()
    ]
    theirs = torch.optim.AdamW(groups, betas=ADAMW["betas"], eps=ADAMW["eps"])
    for step in range(3):
        for module in (model, twin):
            _give_gradients(module, step)
        ours.gather()
        ours.step(0.01)
        theirs.step()
    for (name, mine), other in zip(model.named_parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-6, msg=name)


def _give_gradients(module: nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in module.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)


@pytest.mark.parametrize(
    ("settings", "frozen"),
    [
        ({"freeze": "embeddings"}, {0}),
        ({"freeze_layers": 1}, {0, 1}),
        ({"freeze": "backbone"}, {0, 1, 2}),
    ],
)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_frozen_weights_do_not_move(
    model: Model, bert_tokens: Tokens, settings: dict[str, Any], frozen: set[int], precision: str
) -> None:
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    config = TrainingConfig(steps=3, batch_examples=8, precision=precision, **settings)
    fit(model, model.objective.examples(bert_tokens.train), config, NOWHERE)
    layers = layers_of(model.backbone)
    for name, parameter in model.named_parameters():
        still = layers.get(name.removeprefix("backbone.")) in frozen
        assert torch.equal(parameter, before[name]) == still, name
        assert parameter.requires_grad, name  # as it was before


def test_nothing_goes_back_through_frozen_layers(model: Model, bert_tokens: Tokens) -> None:
    learns: list[bool] = []
    for block in model.backbone.blocks:
        block.register_forward_hook(lambda *given: learns.append(given[-1].requires_grad))
    config = TrainingConfig(steps=1, batch_examples=8, freeze_layers=1)
    fit(model, model.objective.examples(bert_tokens.train), config, NOWHERE)
    assert learns == [False, True]


def test_a_head_rate_without_a_head(byte_bpe: SubwordTokenizer) -> None:
    with pytest.raises(SettingError, match="head_rate would have no effect: CausalLM has no"):
        rates(gpt(byte_bpe), TrainingConfig(head_rate=2.0))


def test_nothing_left_to_learn(byte_bpe: SubwordTokenizer) -> None:
    tied = gpt(byte_bpe)
    with pytest.raises(SettingError, match="freeze = 'backbone' leaves nothing to learn"):
        freeze(tied, TrainingConfig(freeze="backbone"))
    assert all(parameter.requires_grad for parameter in tied.parameters())


def test_more_layers_than_there_are(model: Model) -> None:
    with pytest.raises(SettingError, match=r"freeze_layers = 2: Transformer has 2 in all; freeze"):
        freeze(model, TrainingConfig(freeze_layers=2))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"freeze": "backbone", "freeze_layers": 1}, "one of them freezes what both would"),
        ({"freeze": "embeddings", "freeze_layers": 1}, "one of them freezes what both would"),
        ({"freeze": "backbone", "layer_decay": 0.9}, "layer_decay would have no effect"),
    ],
)
def test_settings_without_effect(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        TrainingConfig(**settings)
