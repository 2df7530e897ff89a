"""Additive scores by the kernel against the formula."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.additive_scores import LARGEST, additive_scores

B, T, S = 3, 5, 7


def drawn(dtype: torch.dtype, dim: int = 32) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = (B, T, dim), (B, S, dim), (dim,)
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def formula(query: Tensor, key: Tensor, vector: Tensor) -> Tensor:
    return (torch.tanh(query[:, :, None] + key[:, None]) * vector).sum(-1)


@pytest.mark.parametrize("dim", [32, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_equals_the_formula(dtype: torch.dtype, dim: int) -> None:
    tensors = drawn(dtype, dim)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    weights = torch.randn(B, T, S, generator=torch.Generator().manual_seed(1))
    ours, right = additive_scores(*tensors), formula(*exact)
    rounded = dtype == torch.bfloat16
    near = {"rtol": 2e-2, "atol": 8e-2} if rounded else {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(ours.double(), right, **near)
    (ours * weights.to(ours.dtype)).sum().backward()
    (right * weights).sum().backward()
    for mine, other in zip(tensors, exact, strict=True):
        assert mine.grad.dtype == dtype
        torch.testing.assert_close(mine.grad.double(), other.grad, **near)


def test_worked_by_hand() -> None:
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
    query, key, vector = (tensor.detach() for tensor in drawn(torch.float32))
    query[1, 2, 3] = torch.nan
    found = additive_scores(query, key, vector)
    assert found[1, 2].isnan().all()
    assert found.isnan().sum() == S


def test_the_order_of_strides_does_not_matter() -> None:
    query, key, vector = (tensor.detach() for tensor in drawn(torch.float32))
    turned = query.transpose(0, 1).contiguous().transpose(0, 1)
    assert torch.equal(additive_scores(turned, key, vector), additive_scores(query, key, vector))
