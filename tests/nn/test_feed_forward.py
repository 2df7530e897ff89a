"""Bias and GELU in one pass against PyTorch's two."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn.feed_forward import bias_gelu, gated_gelu


def inputs(dtype: torch.dtype, columns: int = 48) -> tuple[Tensor, Tensor]:
    x = torch.linspace(-12, 12, 150 * columns).view(3, 50, columns).to(dtype)
    return x.requires_grad_(), torch.linspace(-1, 1, columns).to(dtype).requires_grad_()


@pytest.mark.parametrize("columns", [48, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_equals_pytorchs(dtype: torch.dtype, columns: int) -> None:
    tensors = inputs(dtype, columns)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    ours, theirs = bias_gelu(*tensors), F.gelu(exact[0] + exact[1])
    half = dtype == torch.bfloat16
    near = {"rtol": 1.6e-2, "atol": 1e-2} if half else {"rtol": 2e-6, "atol": 2e-6}
    assert ours.dtype == dtype
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad(ours.sum(), tensors)
    other = torch.autograd.grad(theirs.sum(), exact)
    torch.testing.assert_close(mine[0].double(), other[0], **near)
    torch.testing.assert_close(mine[1].double(), other[1], rtol=near["rtol"], atol=1e-4)


def test_far_out_it_is_zero_or_the_input() -> None:
    x = torch.tensor([-1e4, -40.0, 0.0, 40.0, 1e4] * 16).view(5, 16)
    torch.testing.assert_close(bias_gelu(x, torch.zeros(16)), x.clamp(min=0))
    assert bias_gelu(torch.full((1, 16), torch.nan), torch.zeros(16)).isnan().all()


def test_the_order_of_strides_does_not_matter() -> None:
    x, bias = inputs(torch.float32)
    turned = x.detach().transpose(0, 1)
    expected = bias_gelu(turned.contiguous(), bias.detach())
    assert torch.equal(bias_gelu(turned, bias.detach()), expected)


def plain(x: Tensor) -> Tensor:
    activated, gate = x.chunk(2, dim=-1)
    return F.gelu(activated, approximate="tanh") * gate


def drawn(*shape: int) -> Tensor:
    return 3 * torch.randn(shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("columns", [48, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_equals_pytorchs_of_gated_gelu(dtype: torch.dtype, columns: int) -> None:
    x = drawn(3, 50, 2 * columns).to(dtype).requires_grad_()
    exact = x.detach().double().requires_grad_()
    ours, theirs, weights = gated_gelu(x), plain(exact), drawn(3, 50, columns)
    half = dtype == torch.bfloat16
    near = {"rtol": 1.6e-2, "atol": 1e-2} if half else {"rtol": 1e-5, "atol": 2e-5}
    assert ours.dtype == dtype
    torch.testing.assert_close(ours.double(), theirs, **near)
    (mine,) = torch.autograd.grad((ours * weights.to(dtype)).sum(), x)
    (other,) = torch.autograd.grad((theirs * weights).sum(), exact)
    torch.testing.assert_close(mine.double(), other, **near)


def test_far_out_it_is_zero_or_the_product() -> None:
    x = torch.tensor([-1e4, -40.0, 0.0, 40.0, 1e4]).repeat_interleave(16)
    gates = torch.full((5, 16), 2.0)
    both = torch.cat((x.view(5, 16), gates), 1).requires_grad_()
    result = gated_gelu(both)
    torch.testing.assert_close(result, 2 * x.view(5, 16).clamp(min=0))
    result.sum().backward()
    assert both.grad is not None
    assert both.grad.isfinite().all()


def test_the_order_of_strides_does_not_matter_of_gated_gelu() -> None:
    x = drawn(4, 6, 32)
    turned = x.transpose(0, 1)
    assert torch.equal(gated_gelu(turned), gated_gelu(turned.contiguous()))
