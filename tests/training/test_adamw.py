"""The flat optimizer against torch's, and against itself after a resume."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from foretext.training.adamw import AdamW
from foretext.training.flat_optimizer import FlatOptimizer
from foretext.training.flat_parameters import FlatParameters

SETTINGS: dict[str, Any] = {"betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1}


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(131, 257), nn.LayerNorm(257), nn.Linear(257, 3))


def flat_adamw(
    flat: FlatParameters, clip_norm: float | None = None, **settings: Any
) -> FlatOptimizer:
    return FlatOptimizer(flat, [AdamW(flat, **settings)], clip_norm)


def give_gradients(module: nn.Module, step: int, scale: float = 1.0) -> None:
    generator = torch.Generator().manual_seed(step)
    for parameter in module.parameters():
        gradient = torch.randn(parameter.shape, generator=generator) * scale
        parameter.grad = gradient.to(parameter.dtype)


def train(optimizer: FlatOptimizer, module: nn.Module, steps: range) -> list[float | Tensor]:
    norms = []
    for step in steps:
        give_gradients(module, step, scale=0.01 * (step + 1))
        optimizer.gather()
        norms.append(optimizer.step(0.01 * (step + 1)))
    return norms


def train_torchs(module: nn.Module, steps: range, clip: float) -> list[float]:
    matrices = [p for p in module.parameters() if p.dim() > 1]
    others = [p for p in module.parameters() if p.dim() == 1]
    groups = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
    inner = torch.optim.AdamW(groups, **SETTINGS)
    norms = []
    for step in steps:
        give_gradients(module, step, scale=0.01 * (step + 1))
        norms.append(float(nn.utils.clip_grad_norm_(module.parameters(), clip)))
        for group in inner.param_groups:
            group["lr"] = 0.01 * (step + 1)
        inner.step()
    return norms


def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PyTorch move the weights, by a norm that nobody has read."""
    monkeypatch.setattr(FlatOptimizer, "_norm", FlatOptimizer._norm_by_torch)
    monkeypatch.setattr(AdamW, "_move_by_kernel", AdamW._move_by_torch)


@pytest.mark.parametrize("where", ["kernel", "torch", "gpu"])
def test_equals_torchs_in_float32(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    ours, theirs = model(), model()
    optimizer = flat_adamw(FlatParameters(ours), clip_norm=5.0, **SETTINGS)
    if where == "gpu":
        as_on_a_gpu(monkeypatch)
    elif where == "torch":
        monkeypatch.setattr(AdamW, "_move_by_kernel", AdamW._move_by_torch)
    norms = train(optimizer, ours, range(6))
    expected = train_torchs(theirs, range(6), clip=5.0)
    assert norms == pytest.approx(expected, rel=1e-6)
    assert expected[0] < 5 < expected[-1]  # clipped and not
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-6)


def test_copies_are_the_rounded_masters() -> None:
    module = model()
    flat = FlatParameters(module, torch.bfloat16)
    optimizer = flat_adamw(flat, **SETTINGS)
    train(optimizer, module, range(3))
    for name, parameter in module.named_parameters():
        assert torch.equal(parameter, flat.values()[name].bfloat16())


def test_small_steps_are_not_lost() -> None:
    module = nn.Linear(64, 64, bias=False)
    nn.init.ones_(module.weight)
    flat = FlatParameters(module, torch.bfloat16)
    optimizer = flat_adamw(flat, weight_decay=0.0)
    for _ in range(100):
        module.weight.grad = torch.ones_like(module.weight)
        optimizer.gather()
        optimizer.step(1e-4)  # a fortieth of the unit of a bfloat16 below 1
    torch.testing.assert_close(module.weight.float(), torch.full((64, 64), 0.99), rtol=0, atol=4e-3)


def test_a_resumed_training_ends_in_the_same_bits() -> None:
    unbroken, killed, resumed = model(), model(), model()
    first = flat_adamw(FlatParameters(unbroken, torch.bfloat16), **SETTINGS)
    train(first, unbroken, range(4))
    second = flat_adamw(FlatParameters(killed, torch.bfloat16), **SETTINGS)
    train(second, killed, range(2))
    state = {name: tensor.clone() for name, tensor in second.state().items()}
    third = flat_adamw(FlatParameters(resumed, torch.bfloat16), **SETTINGS)
    third.load_state(state)
    assert all(
        torch.equal(a, b) for a, b in zip(killed.parameters(), resumed.parameters(), strict=True)
    )
    train(third, resumed, range(2, 4))
    assert all(torch.equal(tensor, third.state()[name]) for name, tensor in first.state().items())


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    results = []
    threads = torch.get_num_threads()
    for count in (1, threads):
        torch.set_num_threads(count)
        module = model()
        flat = FlatParameters(module, torch.bfloat16)
        train(flat_adamw(flat, clip_norm=1.0, **SETTINGS), module, range(3))
        results.append(flat.master.clone())
    assert torch.equal(*results)


def test_micro_batches_are_added_in_float32() -> None:
    module = nn.Linear(8, 8, bias=False)
    optimizer = flat_adamw(FlatParameters(module, torch.bfloat16))
    for _ in range(1024):
        module.weight.grad = torch.ones_like(module.weight)
        optimizer.gather()
    assert module.weight.grad is None
    assert optimizer.step(0.0) == pytest.approx(1024 * 8)  # bfloat16 would stop at 256


def test_without_a_gradient_nothing_moves() -> None:
    module = model()
    flat = FlatParameters(module)
    before = {name: value.clone() for name, value in flat.values().items()}
    optimizer = flat_adamw(flat, **SETTINGS)
    module[0].bias.grad = torch.ones_like(module[0].bias)
    optimizer.gather()
    optimizer.step(0.1)
    moved = [name for name, value in flat.values().items() if not torch.equal(value, before[name])]
    assert moved == ["0.bias"]
    assert flat_adamw(flat).step(0.1) == 0


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_a_broken_gradient_changes_nothing(broken: float) -> None:
    module = model()
    optimizer = flat_adamw(FlatParameters(module), **SETTINGS)
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    give_gradients(module, 0)
    module[0].weight.grad[0, 0] = broken
    optimizer.gather()
    assert not math.isfinite(optimizer.step(0.1))
    assert all(torch.equal(t, before[name]) for name, t in optimizer.state().items())


@pytest.mark.parametrize("broken", [math.nan, -math.inf])
def test_a_broken_gradient_that_nobody_has_seen_moves_no_weight(
    monkeypatch: pytest.MonkeyPatch, broken: float
) -> None:
    as_on_a_gpu(monkeypatch)
    module = model()
    optimizer = flat_adamw(FlatParameters(module), clip_norm=1.0, **SETTINGS)
    train(optimizer, module, range(2))
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    give_gradients(module, 2)
    module[2].bias.grad[1] = broken
    optimizer.gather()
    assert not math.isfinite(optimizer.step(0.1))
    after = optimizer.state()
    assert [name for name in before if not torch.equal(before[name], after[name])] == ["num_steps"]
    train(optimizer, module, range(3, 4))
    assert all(bool(torch.isfinite(tensor).all()) for tensor in optimizer.state().values())


def test_without_clipping_a_norm_that_nobody_has_read_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, unread = model(), model()
    monkeypatch.setattr(AdamW, "_move_by_kernel", AdamW._move_by_torch)
    norms = train(flat_adamw(FlatParameters(read), **SETTINGS), read, range(3))
    as_on_a_gpu(monkeypatch)
    found = train(flat_adamw(FlatParameters(unread), **SETTINGS), unread, range(3))
    assert list(map(float, found)) == pytest.approx(norms, rel=1e-6)
    assert all(
        torch.equal(a, b) for a, b in zip(read.parameters(), unread.parameters(), strict=True)
    )
