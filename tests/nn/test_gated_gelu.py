"""The gated GELU in one pass against PyTorch's two."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn.gated_gelu import gated_gelu


def plain(x: Tensor) -> Tensor:
    activated, gate = x.chunk(2, dim=-1)
    return F.gelu(activated, approximate="tanh") * gate


def drawn(*shape: int) -> Tensor:
    return 3 * torch.randn(shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("columns", [48, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_equals_pytorchs(dtype: torch.dtype, columns: int) -> None:
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


def test_the_order_of_strides_does_not_matter() -> None:
    x = drawn(4, 6, 32)
    turned = x.transpose(0, 1)
    assert torch.equal(gated_gelu(turned), gated_gelu(turned.contiguous()))
