"""Attention: both roads give the same, and each part of a layout does what it says."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.attention import Layout, SelfAttention, attend
from foretext.nn.attention_mask import AttentionMask

B, H, T, S, D = 2, 2, 5, 7, 8
ALL = AttentionMask(None)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def heads(queries: int = T, keys: int = S) -> list[Tensor]:
    """Queries, keys and values that want gradients."""
    lengths = (queries, keys, keys)
    return [drawn(B, H, n, D // H, seed=k).requires_grad_() for k, n in enumerate(lengths)]


def plain(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: AttentionMask,
    bias: Tensor | None,
    scale: float,
) -> Tensor:
    """Attention as the paper writes it."""
    scores = query @ key.mT * scale
    if bias is not None:
        scores = scores + bias
    if mask.visible is not None:
        scores = scores.masked_fill(~mask.visible, -torch.inf)
    if mask.causal:
        before = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~before, -torch.inf)
    return scores.softmax(-1) @ value


def some_mask(queries: int, keys: int) -> Tensor:
    visible = torch.rand(B, 1, queries, keys, generator=torch.Generator().manual_seed(4)) < 0.5
    visible[..., 0] = True
    return visible


CASES = {
    "all": (T, S, ALL),
    "matrix": (T, S, AttentionMask(some_mask(T, S))),
    "causal": (T, T, AttentionMask(None, causal=True)),
    "causal matrix": (T, T, AttentionMask(some_mask(T, T), causal=True)),
}


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("case", ["all", "matrix", "causal"])
def test_both_roads_are_the_formula(case: str, scale: float | None, biased: bool) -> None:
    queries, keys, mask = CASES[case]
    tensors = heads(queries, keys)
    bias = drawn(1, H, queries, keys, seed=6).requires_grad_() if biased else None
    right = plain(*tensors, mask, bias, scale or (D // H) ** -0.5)
    trained = attend(*tensors, mask, bias, scale)
    with torch.no_grad():
        inferred = attend(*tensors, mask, bias, scale)
    torch.testing.assert_close(trained, right, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(inferred, right, rtol=1e-5, atol=1e-6)
    parts = [*tensors, bias] if bias is not None else tensors
    ours, theirs = (torch.autograd.grad(y.square().sum(), parts) for y in (trained, right))
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def test_a_biased_causal_mask_with_holes() -> None:
    queries, keys, mask = CASES["causal matrix"]
    tensors, bias = heads(queries, keys), drawn(1, H, queries, keys, seed=6)
    right = plain(*tensors, mask, bias, 0.5)
    torch.testing.assert_close(attend(*tensors, mask, bias, 0.5), right, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        inferred = attend(*tensors, mask, bias, 0.5)
    torch.testing.assert_close(inferred, right, rtol=1e-5, atol=1e-6)


def test_dropout_leaves_the_mean_as_it_is() -> None:
    tensors, bias = heads(), drawn(1, H, T, S)
    torch.manual_seed(0)
    means = torch.stack([attend(*tensors, ALL, bias, dropout=0.5) for _ in range(400)]).mean(0)
    torch.testing.assert_close(means, attend(*tensors, ALL, bias), rtol=0.3, atol=0.3)


def attention(**settings: float) -> SelfAttention:
    torch.manual_seed(1)
    return SelfAttention(D, H, bias=True, dropout=0.0, **settings)


@pytest.mark.parametrize("scale", [None, 0.3])
def test_weights_are_those_that_mix_the_values(scale: float | None) -> None:
    module, x = attention(scale=scale), drawn(B, T, D)
    layout = Layout(AttentionMask(some_mask(T, T)), bias=drawn(1, H, T, T, seed=6))
    weights = module.weights(x, layout)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T))
    values = module.query_key_value(x)[..., 2 * D :].view(B, T, H, -1).transpose(1, 2)
    mixed = module.output((weights @ values).transpose(1, 2).flatten(2))
    torch.testing.assert_close(module(x, layout), mixed, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("biased", [False, True])
def test_the_first_positions_are_what_they_are_among_all(biased: bool) -> None:
    module, x = attention(), drawn(B, T, D)
    bias = drawn(1, H, T, T, seed=6) if biased else None
    layout = Layout(AttentionMask(some_mask(T, T)), bias=bias)
    first = module(x, layout, num_needed=2)
    torch.testing.assert_close(first, module(x, layout)[:, :2], rtol=1e-5, atol=1e-6)


def test_nobody_looks_at_pure_queries() -> None:
    """Their states follow from the other positions, whose states do not depend on them."""
    module, x = attention(), drawn(B, T, D)
    states = module(x, Layout(AttentionMask(None, num_queries=2)))
    assert states.shape == (B, T, D)
    alone = module(x[:, :-2], Layout(ALL))
    torch.testing.assert_close(states[:, :-2], alone, rtol=1e-5, atol=1e-6)
    other = torch.cat((x[:, :-1], drawn(B, 1, D, seed=9)), 1)
    changed = module(other, Layout(AttentionMask(None, num_queries=2)))
    assert torch.equal(changed[:, :-1], states[:, :-1])
    assert not torch.allclose(changed[:, -1], states[:, -1])
