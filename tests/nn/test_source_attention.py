"""Weights over a source: the three scores as papers write them, masks, and what is learned."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.cross_attention import source_mask
from foretext.nn.source_attention import SourceAttention

B, T, S, D, M, A = 2, 3, 4, 6, 10, 16
TOKENS = torch.arange(S) < torch.tensor([[4], [2]])


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def attention(kind: str, memory_dim: int = M) -> SourceAttention:
    torch.manual_seed(0)
    return SourceAttention(kind, D, memory_dim, A)


def score(module: SourceAttention, h: Tensor, m: Tensor) -> Tensor:
    """One state of the decoder against one of the source, as the formulas stand."""
    if module.kind == "dot":
        return h @ m
    if module.kind == "general":
        return h @ module.key.weight @ m
    return module.vector @ torch.tanh(module.query.weight @ h + module.key.weight @ m)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("kind", ["additive", "general", "dot"])
def test_weights_are_a_softmax_of_the_scores(kind: str, padded: bool) -> None:
    memory_dim = D if kind == "dot" else M
    module = attention(kind, memory_dim)
    states, memory = drawn(B, T, D, seed=1), drawn(B, S, memory_dim, seed=2)
    weights = module(states, module.keys(memory), source_mask(TOKENS if padded else None))
    for b in range(B):
        length = int(TOKENS[b].sum()) if padded else S
        for t in range(T):
            scores = [score(module, states[b, t], memory[b, s]) for s in range(length)]
            right = torch.stack(scores).softmax(0)
            torch.testing.assert_close(weights[b, t, :length], right)
            assert not weights[b, t, length:].any()


@pytest.mark.parametrize("kind", ["additive", "general", "dot"])
def test_every_weight_is_learned(kind: str) -> None:
    memory_dim = D if kind == "dot" else M
    module = attention(kind, memory_dim)
    states, memory = drawn(B, T, D, seed=1), drawn(B, S, memory_dim, seed=2).requires_grad_()
    weights = module(states, module.keys(memory), source_mask(None))
    (weights * drawn(B, T, S, seed=3)).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in module.parameters())
    assert memory.grad.abs().sum() > 0
    assert len(list(module.parameters())) == {"additive": 3, "general": 1, "dot": 0}[kind]


def test_worked_by_hand() -> None:
    """Scores 0 and ln 3 of two states of a source are weights 1/4 and 3/4."""
    module = SourceAttention("dot", 1, 1, A)
    memory = torch.tensor([[[0.0], [1.0]]])
    weights = module(torch.tensor([[[3.0]]]).log(), module.keys(memory), source_mask(None))
    torch.testing.assert_close(weights, torch.tensor([[[0.25, 0.75]]]))


def test_a_source_without_tokens_gives_numbers() -> None:
    module, states, memory = attention("additive"), drawn(B, T, D, seed=1), drawn(B, S, M, seed=2)
    none = torch.zeros(B, S, dtype=torch.bool)
    weights = module(states, module.keys(memory), source_mask(none))
    torch.testing.assert_close(weights, torch.full((B, T, S), 1 / S))
