"""Attention by batched products against PyTorch's."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn import cpu_attention as module
from foretext.nn.cpu_attention import cpu_attention

B, H = 3, 2


def inputs(dtype: torch.dtype, queries: int, keys: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(B, H, queries, 8), (B, H, keys, 8), (B, H, keys, 8)]
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def masks(queries: int, keys: int) -> dict[str, Tensor | None]:
    generator = torch.Generator().manual_seed(1)
    rows = torch.arange(keys) < torch.tensor([keys, keys // 2 + 1, 1])[:, None]
    matrix = torch.rand(B, 1, queries, keys, generator=generator) < 0.5
    matrix[..., 0] = True
    return {"all": None, "tokens": rows[:, None, None], "matrix": matrix, "one": matrix[:1]}


def biases(queries: int, keys: int) -> dict[str, Tensor]:
    whole = torch.randn(B, H, queries, keys, generator=torch.Generator().manual_seed(2))
    return {"shared": whole[:1], "of each text": whole}


def nearness(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 0.02, "atol": 0.02}


@pytest.mark.parametrize("group_bytes", [1, 1 << 22])
@pytest.mark.parametrize("mask", ["all", "tokens", "matrix", "one"])
@pytest.mark.parametrize("shape", [(16, 16), (5, 37)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_equals_pytorchs(monkeypatch, dtype, shape, mask, group_bytes) -> None:
    monkeypatch.setattr(module, "GROUP_BYTES", group_bytes)
    tensors, visible = inputs(dtype, *shape), masks(*shape)[mask]
    ours = cpu_attention(*tensors, visible)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    theirs = F.scaled_dot_product_attention(*exact, attn_mask=visible)
    scale = torch.linspace(-1, 1, 8)
    near = nearness(dtype)
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad((ours * scale).sum(), tensors)
    other = torch.autograd.grad((theirs * scale).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a.double(), b, **near)


@pytest.mark.parametrize("group_bytes", [1, 5 << 11, 1 << 22])  # one head, some, all at a time
@pytest.mark.parametrize("kind", ["shared", "of each text"])
@pytest.mark.parametrize("mask", ["all", "tokens", "matrix"])
@pytest.mark.parametrize("shape", [(16, 16), (5, 37)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_bias_and_its_gradient_equal_pytorchs(
    monkeypatch, dtype, shape, mask, kind, group_bytes
) -> None:
    monkeypatch.setattr(module, "GROUP_BYTES", group_bytes)
    visible, bias = masks(*shape)[mask], biases(*shape)[kind].to(dtype).requires_grad_()
    tensors = [*inputs(dtype, *shape), bias]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    ours = cpu_attention(*tensors[:3], visible, bias, scale=0.7)
    added = exact[3] if visible is None else exact[3].masked_fill(~visible, -torch.inf)
    theirs = F.scaled_dot_product_attention(*exact[:3], attn_mask=added, scale=0.7)
    weights = torch.linspace(-1, 1, 8)
    near = nearness(dtype)
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad((ours * weights).sum(), tensors)
    other = torch.autograd.grad((theirs * weights).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a.double(), b, **near)


def test_a_bias_without_gradient_is_added_all_the_same() -> None:
    tensors, bias = inputs(torch.float32, 6, 9), biases(6, 9)["shared"]
    ours = cpu_attention(*tensors, None, bias)
    theirs = F.scaled_dot_product_attention(*tensors, attn_mask=bias)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    ours.sum().backward()
    assert tensors[0].grad is not None


def test_a_bias_of_zeros_changes_nothing() -> None:
    tensors = inputs(torch.float32, 7, 7)
    plain = cpu_attention(*tensors, causal=True)
    biased = cpu_attention(*tensors, None, torch.zeros(1, H, 7, 7), causal=True)
    assert torch.equal(plain, biased)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_scale(scale: float) -> None:
    tensors = inputs(torch.float32, 9, 9)
    ours = cpu_attention(*tensors, scale=scale)
    theirs = F.scaled_dot_product_attention(*tensors, scale=scale)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    mine, other = (torch.autograd.grad(y.square().sum(), tensors) for y in (ours, theirs))
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [16, 21])
def test_a_causal_mask(length: int) -> None:
    tensors = inputs(torch.float32, length, length)
    ours = cpu_attention(*tensors, causal=True)
    theirs = F.scaled_dot_product_attention(*tensors, is_causal=True)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_what_is_hidden_has_no_gradient() -> None:
    query, key, value = inputs(torch.float32, 20, 20)
    bias = torch.zeros(1, H, 20, 20, requires_grad=True)
    cpu_attention(query, key, value, None, bias, causal=True)[:, :, :7].sum().backward()
    assert key.grad is not None
    assert value.grad is not None
    assert bias.grad is not None
    assert value.grad[:, :, :7].all()
    assert not value.grad[:, :, 7:].any()
    assert not key.grad[:, :, 7:].any()
    assert not bias.grad[:, :, 7:].any()
    assert not bias.grad.triu(1).any()


def test_a_query_that_may_look_at_nothing_gives_numbers() -> None:
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
