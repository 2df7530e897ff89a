"""Dropout against its definition, against a plain twin, and in what PyTorch's promises."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.checkpoint import checkpoint

from foretext.kernels.dropout import PORTION, dropout
from foretext.kernels.team import ALONE
from foretext.nn.dropout import Dropout
from foretext.nn.team import torch_team

RATE, SIZE = 0.3, 3 * PORTION + 48
DEVIATION = (RATE * (1 - RATE)) ** 0.5  # of one place


def dropped(seed: int, size: int = SIZE, rate: float = RATE) -> np.ndarray:
    """Where ones become zeros, (size,) bool."""
    outputs = np.ones(size, np.float32)
    dropout(ALONE, outputs, outputs, seed, rate)
    return outputs == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("shape", [(20, 30, 64), (7, 333)])
def test_drops_its_share_and_scales_the_rest(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    x = torch.linspace(1, 3, torch.Size(shape).numel()).view(shape).to(dtype).requires_grad_()
    result = Dropout(RATE)(x)
    (gradient,) = torch.autograd.grad(result.sum(), x)
    zeros = result == 0
    assert (result.shape, result.dtype) == (x.shape, dtype)
    assert float(zeros.double().mean()) == pytest.approx(
        RATE, abs=5 * DEVIATION * x.numel() ** -0.5
    )
    assert torch.equal(gradient == 0, zeros), "a number has a gradient where it was kept"
    near = {"rtol": 8e-3 if dtype == torch.bfloat16 else 1e-6, "atol": 0.0}
    torch.testing.assert_close(result[~zeros], x[~zeros] / (1 - RATE), **near)
    torch.testing.assert_close(gradient[~zeros], torch.ones_like(x[~zeros]) / (1 - RATE), **near)


def test_equals_a_plain_twin() -> None:
    seed = 0x123456789ABCDEF
    low, high = np.uint32(seed & 0xFFFFFFFF), np.uint32(seed >> 32)
    x = np.arange(SIZE, dtype=np.uint32) * np.uint32(0x9E3779B9) + low
    x = (x ^ x >> 16) * np.uint32(0x85EBCA6B) ^ high
    x = (x ^ x >> 13) * np.uint32(0xC2B2AE35)
    assert np.array_equal(dropped(seed), (x ^ x >> 16) < np.uint32(RATE * 2**32))


def test_places_and_seeds_know_nothing_of_each_other() -> None:
    rng = np.random.default_rng(1)
    seeds = [*range(8), *rng.integers(2**63, size=8).tolist()]  # close to each other, and not
    errors = np.array([dropped(seed) for seed in seeds]) - RATE  # (16, n)
    least = 5 * DEVIATION**2
    assert np.abs(errors.mean(1)).max() < 5 * DEVIATION * SIZE**-0.5
    products = errors @ errors.T / SIZE - np.diag((errors**2).mean(1))
    assert np.abs(products).max() < least * SIZE**-0.5
    for lag in (1, 2, 16, 64, 256, PORTION):
        assert abs((errors[:, lag:] * errors[:, :-lag]).mean()) < least * (16 * SIZE) ** -0.5


def test_the_number_of_threads_changes_nothing() -> None:
    one, team = np.ones(SIZE, np.float32), np.ones(SIZE, np.float32)
    dropout(ALONE, one, one, 5, RATE)
    dropout(torch_team(), team, team, 5, RATE)
    assert np.array_equal(one, team)


def test_torchs_generator_decides_and_goes_on() -> None:
    x, layer = torch.ones(64, 64), Dropout(RATE)
    torch.manual_seed(3)
    first, state = layer(x), torch.get_rng_state()
    second = layer(x)
    torch.set_rng_state(state)
    assert torch.equal(layer(x), second)
    torch.manual_seed(3)
    assert torch.equal(layer(x), first)
    assert not torch.equal(first, second)


def test_recomputed_layers_drop_the_same() -> None:
    x = torch.linspace(-1, 1, 1024).requires_grad_()
    layer = torch.nn.Sequential(torch.nn.Tanh(), Dropout(RATE))
    gradients = []
    for forward in (layer, lambda x: checkpoint(layer, x, use_reentrant=False)):
        torch.manual_seed(4)
        gradients += torch.autograd.grad(forward(x).sum(), x)
    assert torch.equal(*gradients)


def test_strides_do_not_matter() -> None:
    x, layer = torch.randn(32, 48), Dropout(RATE)
    torch.manual_seed(5)
    expected = layer(x.T.contiguous())
    torch.manual_seed(5)
    assert torch.equal(layer(x.T), expected)


def test_it_does_nothing_in_use_or_without_a_rate() -> None:
    x = torch.randn(4, 16)
    assert Dropout(RATE).eval()(x) is x
    assert Dropout(0.0)(x) is x
    assert torch.equal(Dropout(1.0)(x), torch.zeros(4, 16))
