"""Attention by batched products against PyTorch's."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn import cpu_attention as module
from foretext.nn.cpu_attention import cpu_attention


def inputs(dtype: torch.dtype, queries: int, keys: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(3, 2, queries, 8), (3, 2, keys, 8), (3, 2, keys, 8)]
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def sights(queries: int, keys: int) -> dict[str, Tensor | None]:
    generator = torch.Generator().manual_seed(1)
    rows = torch.arange(keys) < torch.tensor([keys, keys // 2 + 1, 1])[:, None]
    matrix = torch.rand(3, 1, queries, keys, generator=generator) < 0.5
    matrix[..., 0] = True
    return {"all": None, "tokens": rows[:, None, None], "matrix": matrix, "one": matrix[:1]}


@pytest.mark.parametrize("group_bytes", [1, 1 << 22])
@pytest.mark.parametrize("sight", ["all", "tokens", "matrix", "one"])
@pytest.mark.parametrize("shape", [(16, 16), (5, 37)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_equals_pytorchs(monkeypatch, dtype, shape, sight, group_bytes) -> None:
    monkeypatch.setattr(module, "GROUP_BYTES", group_bytes)
    tensors, visible = inputs(dtype, *shape), sights(*shape)[sight]
    ours = cpu_attention(*tensors, visible)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    theirs = F.scaled_dot_product_attention(*exact, attn_mask=visible)
    scale = torch.linspace(-1, 1, 8)
    near = {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 0.02, "atol": 0.02}
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad((ours * scale).sum(), tensors)
    other = torch.autograd.grad((theirs * scale).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a.double(), b, **near)


@pytest.mark.parametrize("length", [16, 21])
def test_causal_sight(length: int) -> None:
    tensors = inputs(torch.float32, length, length)
    ours = cpu_attention(*tensors, causal=True)
    theirs = F.scaled_dot_product_attention(*tensors, is_causal=True)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_what_is_hidden_has_no_gradient() -> None:
    query, key, value = inputs(torch.float32, 20, 20)
    cpu_attention(query, key, value, causal=True)[:, :, :7].sum().backward()
    assert key.grad is not None
    assert value.grad is not None
    assert value.grad[:, :, :7].all()
    assert not value.grad[:, :, 7:].any()
    assert not key.grad[:, :, 7:].any()


def test_a_query_that_sees_nothing_gives_numbers() -> None:
    tensors = inputs(torch.float32, 4, 4)
    result = cpu_attention(*tensors, torch.zeros(1, 1, 4, 4, dtype=torch.bool))
    torch.testing.assert_close(result, tensors[2].mean(2, keepdim=True).expand_as(result))


def test_half_precision_is_as_near_to_the_truth_as_a_plain_softmax() -> None:
    tensors = [3 * tensor.detach() for tensor in inputs(torch.bfloat16, 64, 64)]
    tensors = [tensor.requires_grad_() for tensor in tensors]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]

    def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (query @ key.mT * query.shape[-1] ** -0.5).softmax(-1) @ value

    truth = torch.autograd.grad(plain(*exact).square().sum(), exact)
    ours = torch.autograd.grad(cpu_attention(*tensors).square().sum(), tensors)
    theirs = torch.autograd.grad(plain(*tensors).square().sum(), tensors)
    for mine, other, true in zip(ours, theirs, truth, strict=True):
        assert (mine - true).norm() < 1.1 * (other - true).norm()
