"""Attention to a source against PyTorch's module, and with its cache."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import CrossCache
from foretext.nn.cross_attention import CrossAttention, source_mask

B, T, S, D, E, H = 3, 4, 6, 8, 10, 2
TOKENS = torch.arange(S) < torch.tensor([[6], [2], [4]])


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def attention() -> CrossAttention:
    torch.manual_seed(0)
    return CrossAttention(D, E, H, bias=True, dropout=0.0)


def theirs(ours: CrossAttention) -> nn.MultiheadAttention:
    """PyTorch's module with the weights of ours."""
    module = nn.MultiheadAttention(D, H, kdim=E, vdim=E, batch_first=True)
    key, value = ours.key_value.weight.chunk(2)
    weights = {
        "q_proj_weight": ours.query.weight,
        "k_proj_weight": key,
        "v_proj_weight": value,
        "in_proj_bias": torch.cat((ours.query.bias, ours.key_value.bias)),
        "out_proj.weight": ours.output.weight,
        "out_proj.bias": ours.output.bias,
    }
    module.load_state_dict(weights)
    return module


@pytest.mark.parametrize("padded", [False, True])
def test_equals_pytorchs(padded: bool) -> None:
    module, x, memory = attention(), drawn(B, T, D, seed=1), drawn(B, S, E, seed=2)
    tokens = TOKENS if padded else None
    right, _ = theirs(module)(
        x, memory, memory, key_padding_mask=None if tokens is None else ~tokens
    )
    ours = module(x, memory, source_mask(tokens))
    torch.testing.assert_close(ours, right, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        inferred = module(x, memory, source_mask(tokens))
    torch.testing.assert_close(inferred, right, rtol=1e-5, atol=1e-6)


def test_the_source_is_read_once() -> None:
    module, memory, cache = attention(), drawn(B, S, E, seed=2), CrossCache()
    x, mask = drawn(B, T, D, seed=1), source_mask(TOKENS)
    whole = module(x, memory, mask)
    for t in range(T):
        part = module(x[:, t : t + 1], memory, mask, 0, cache)
        torch.testing.assert_close(part, whole[:, t : t + 1], rtol=1e-5, atol=1e-6)
        memory = torch.full_like(memory, torch.nan)  # nothing is read of it after the first time


def test_rows_of_the_cache_follow_the_beams() -> None:
    module, memory, cache = attention(), drawn(B, S, E, seed=2), CrossCache()
    x, rows = drawn(4, T, D, seed=1), torch.tensor([1, 1, 0, 2])
    module(x[:B], memory, source_mask(TOKENS), 0, cache)
    cache.keep_rows(rows)
    chosen = module(x, memory, source_mask(TOKENS[rows]), 0, cache)
    right = module(x, memory[rows], source_mask(TOKENS[rows]))
    torch.testing.assert_close(chosen, right, rtol=1e-5, atol=1e-6)


def test_every_layer_has_its_own_keys() -> None:
    cache = CrossCache()
    first, second = (torch.full((1, 1, 1, 1), float(n)) for n in (1, 2))
    assert cache.of(0, lambda: (first, first))[0] is first
    assert cache.of(1, lambda: (second, second))[0] is second
    assert cache.of(0, lambda: (second, second))[0] is first


def test_a_source_without_padding_hides_nothing() -> None:
    assert source_mask(None) == AttentionMask(None)
