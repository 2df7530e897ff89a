"""Weights over a source: the three scores as papers write them, masks, and what is learned."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.cross_attention import source_mask
from foretext.nn.source_attention import LARGEST, SourceAttention, additive_scores

B, T, S, D, M, A = 2, 3, 4, 6, 10, 16
TOKENS = torch.arange(S) < torch.tensor([[4], [2]])

ADDITIVE_B, ADDITIVE_T, ADDITIVE_S = 3, 5, 7


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


def drawn_of_additive_scores(dtype: torch.dtype, dim: int = 32) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = (
        (ADDITIVE_B, ADDITIVE_T, dim),
        (ADDITIVE_B, ADDITIVE_S, dim),
        (dim,),
    )
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def formula(query: Tensor, key: Tensor, vector: Tensor) -> Tensor:
    return (torch.tanh(query[:, :, None] + key[:, None]) * vector).sum(-1)


@pytest.mark.parametrize("dim", [32, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_equals_the_formula(dtype: torch.dtype, dim: int) -> None:
    tensors = drawn_of_additive_scores(dtype, dim)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    weights = torch.randn(
        ADDITIVE_B,
        ADDITIVE_T,
        ADDITIVE_S,
        generator=torch.Generator().manual_seed(1),
    )
    ours, right = additive_scores(*tensors), formula(*exact)
    rounded = dtype == torch.bfloat16
    near = {"rtol": 2e-2, "atol": 8e-2} if rounded else {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(ours.double(), right, **near)
    (ours * weights.to(ours.dtype)).sum().backward()
    (right * weights).sum().backward()
    for mine, other in zip(tensors, exact, strict=True):
        assert mine.grad.dtype == dtype
        torch.testing.assert_close(mine.grad.double(), other.grad, **near)


def test_worked_by_hand_of_additive_scores() -> None:
    query = torch.zeros(1, 1, 16)
    key = torch.zeros(1, 2, 16)
    query[0, 0, 0], key[0, 1, 0], key[0, 1, 1] = 0.5, 0.25, -1.0
    vector = torch.zeros(16)
    vector[:2] = torch.tensor([2.0, 3.0])
    # 2 tanh(0.5) + 3 tanh(0), and 2 tanh(0.75) + 3 tanh(-1)
    expected = torch.tensor([[[0.9242343, -1.0144849]]])
    torch.testing.assert_close(additive_scores(query, key, vector), expected)


@pytest.mark.parametrize("size", [LARGEST - 1, LARGEST + 1, 100.0])
def test_large_numbers_of_opposite_signs_cancel(size: float) -> None:
    query, key = torch.full((1, 1, 16), size), torch.full((1, 1, 16), 0.25 - size)
    found = additive_scores(query, key, torch.ones(16))
    torch.testing.assert_close(found, torch.full((1, 1, 1), 16 * 0.2449187))


def test_numbers_that_are_none_stay_so() -> None:
    query, key, vector = (tensor.detach() for tensor in drawn_of_additive_scores(torch.float32))
    query[1, 2, 3] = torch.nan
    found = additive_scores(query, key, vector)
    assert found[1, 2].isnan().all()
    assert found.isnan().sum() == ADDITIVE_S


def test_the_order_of_strides_does_not_matter() -> None:
    query, key, vector = (tensor.detach() for tensor in drawn_of_additive_scores(torch.float32))
    turned = query.transpose(0, 1).contiguous().transpose(0, 1)
    assert torch.equal(additive_scores(turned, key, vector), additive_scores(query, key, vector))
