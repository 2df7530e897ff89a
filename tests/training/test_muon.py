"""Muon: what it makes of matrices, torch's as its twin, and which matrices it is given."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.flat_optimizer import FlatOptimizer
from foretext.training.flat_parameters import FlatParameters
from foretext.training.loop import fit
from foretext.training.muon import Muon, orthogonalized
from foretext.training.optimizer import layers_of
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import SHAPE, bert, gpt


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", [(3, 16, 48), (3, 48, 16), (1, 24, 24)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_singular_values_come_near_to_one(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    matrices = normal(*shape)
    U, S, Vh = torch.linalg.svd(matrices, full_matrices=False)
    found = orthogonalized(matrices, dtype).float()
    values = (U.mT @ found @ Vh.mT).diagonal(dim1=1, dim2=2)  # in the directions of the matrix
    assert found.shape == matrices.shape
    assert (S.max() / S.min()) > 2
    assert 0.6 < float(values.min()) <= float(values.max()) < 1.25


def test_nothing_becomes_nothing() -> None:
    assert not orthogonalized(torch.zeros(2, 3, 4), torch.float32).any()


class Maps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.square = nn.Parameter(normal(16, 16, seed=1))
        self.wide = nn.Parameter(normal(16, 40, seed=2))
        self.tall = nn.Parameter(normal(40, 16, seed=3))


def flat_muon(module: nn.Module, dtype: torch.dtype = torch.float32) -> FlatOptimizer:
    flat = FlatParameters(module, dtype)
    return FlatOptimizer(flat, [Muon(flat, dict.fromkeys(flat.segments, 1), weight_decay=0.1)])


def train(optimizer: FlatOptimizer, module: nn.Module, steps: range) -> None:
    for step in steps:
        for number, parameter in enumerate(module.parameters()):
            gradient = normal(*parameter.shape, seed=10 * step + number)
            parameter.grad = gradient.to(parameter.dtype)
        optimizer.gather()
        optimizer.step(0.02)


def test_equals_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = Maps(), Maps()
    optimizer = flat_muon(ours)
    optimizer.rules[0].dtype = torch.bfloat16  # type: ignore[attr-defined]  # as torch's does
    train(optimizer, ours, range(4))
    twin = torch.optim.Muon(
        theirs.parameters(), lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"
    )
    start = {name: value.clone() for name, value in theirs.state_dict().items()}
    for step in range(4):
        for number, parameter in enumerate(theirs.parameters()):
            parameter.grad = normal(*parameter.shape, seed=10 * step + number)
        twin.step()
    for name, value in theirs.state_dict().items():
        moved = value - start[name]
        error = ours.state_dict()[name] - value
        assert error.norm() < 0.02 * moved.norm(), name  # bfloat16 has eight bits


def test_fused_maps_are_moved_each_by_itself() -> None:
    fused, apart = nn.Linear(8, 24, bias=False), [nn.Linear(8, 8, bias=False) for _ in range(3)]
    gradient = normal(24, 8)
    gradient[:8] *= 100  # would drown the others' if all were one matrix
    flat = FlatParameters(fused)
    optimizer = FlatOptimizer(flat, [Muon(flat, {flat.segments[0]: 3}, weight_decay=0.0)])
    fused.weight.grad = gradient.clone()
    before = fused.weight.detach().clone()
    optimizer.gather()
    optimizer.step(0.1)
    for number, layer in enumerate(apart):
        third = slice(8 * number, 8 * number + 8)
        with torch.no_grad():
            layer.weight.copy_(before[third])
        flat = FlatParameters(layer)
        alone = FlatOptimizer(flat, [Muon(flat, {flat.segments[0]: 1}, weight_decay=0.0)])
        layer.weight.grad = gradient[third].clone()
        alone.gather()
        alone.step(0.1)
        torch.testing.assert_close(fused.weight[third], layer.weight, atol=2e-4, rtol=0)


def test_an_update_is_as_large_as_one_of_adamw() -> None:
    module = nn.Linear(64, 128, bias=False)
    flat = FlatParameters(module)
    optimizer = FlatOptimizer(flat, [Muon(flat, {flat.segments[0]: 1}, weight_decay=0.0)])
    before = module.weight.detach().clone()
    module.weight.grad = normal(128, 64)
    optimizer.gather()
    optimizer.step(0.1)
    moved = (module.weight.detach() - before).square().mean().sqrt()
    assert 0.015 < float(moved) < 0.025  # 0.2 of the learning rate


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_resumed_training_ends_in_the_same_bits(dtype: torch.dtype) -> None:
    unbroken, killed, resumed = Maps(), Maps(), Maps()
    first, second, third = (flat_muon(module, dtype) for module in (unbroken, killed, resumed))
    train(first, unbroken, range(4))
    train(second, killed, range(2))
    third.load_state({name: tensor.clone() for name, tensor in second.state().items()})
    train(third, resumed, range(2, 4))
    assert all(torch.equal(tensor, third.state()[name]) for name, tensor in first.state().items())
    for name, parameter in resumed.named_parameters():
        assert torch.equal(parameter, third.parameters.values()[name].to(dtype))


def test_it_is_given_the_maps_of_the_blocks() -> None:
    config = Transformer.Config(**SHAPE, activation="swiglu")
    counts = Transformer(config, vocab_size=50).matrices_for_muon()
    assert len(counts) == 8
    assert counts["blocks.0.attention.query_key_value.weight"] == 3
    assert counts["blocks.1.feed_forward.inner.weight"] == 2
    assert counts["blocks.1.feed_forward.outer.weight"] == 1
    plain = Transformer(Transformer.Config(**SHAPE), vocab_size=50).matrices_for_muon()
    assert plain["blocks.0.feed_forward.inner.weight"] == 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_it_learns(byte_bpe: SubwordTokenizer, gpt_tokens: Tokens, precision: str) -> None:
    model = gpt(byte_bpe)
    settings = {"steps": 60, "batch_examples": 16, "learning_rate": 3e-3, "precision": precision}
    config = TrainingConfig(**settings, optimizer="muon")
    examples = model.objective.examples(gpt_tokens.train)
    first = HeldOutLoss(examples, 16).measure(model)["valid_loss"]
    fit(model, examples, config, RunContext(Path()))
    assert HeldOutLoss(examples, 16).measure(model)["valid_loss"] < 0.6 * first


def test_frozen_layers_stay(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    model = bert(wordpiece)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    config = TrainingConfig(steps=2, batch_examples=8, optimizer="muon", freeze_layers=1)
    fit(model, model.objective.examples(bert_tokens.train), config, RunContext(Path()))
    layers = layers_of(model.backbone)
    for name, parameter in model.named_parameters():
        frozen = layers.get(name.removeprefix("backbone."), 2) < 2
        assert torch.equal(parameter, before[name]) == frozen, name


def test_gradients_summed_over_processes_move_as_others_do() -> None:
    one, two = Maps(), Maps()
    here, there = flat_muon(one), flat_muon(two)
    for module in (one, two):
        for parameter in module.parameters():
            parameter.grad = normal(*parameter.shape)
    here.gather()
    there.gather()
    there.take(there.parameters.summed(there.gathered, Processes(torch.device("cpu"))))
    assert here.step(0.1) == there.step(0.1)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_there_is_nothing_for_it(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    model = bert(wordpiece)
    config = TrainingConfig(steps=1, optimizer="muon", freeze="backbone")
    examples = model.objective.examples(bert_tokens.train)
    with pytest.raises(SettingError, match=r"'muon' moves matrices .* of Transformer learns; use"):
        fit(model, examples, config, RunContext(Path()))
