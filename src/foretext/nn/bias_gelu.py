"""A linear map's bias and the GELU behind it, in one pass over memory each way on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels import gelu
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view, weight_view

__all__ = ["bias_gelu"]

LANES = 16  # columns that the kernel works on at once


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """Return gelu(x + bias), of the shape and precision of x.

    Args:
        x: (..., N), the product of a linear map without its bias.
        bias: (N,), of the same precision.
    """
    fits = x.dtype == bias.dtype and x.dtype in (torch.float32, torch.bfloat16)
    if not (has_kernels(x) and fits) or len(bias) % LANES:
        return F.gelu(x + bias)
    return _apply(x, bias)


class _BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor) -> Tensor:
        x = x.contiguous()
        result = torch.empty_like(x)
        gelu.bias_gelu(torch_team(), flat_view(x), weight_view(bias), flat_view(result))
        ctx.save_for_backward(x, bias)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        x, bias = ctx.saved_tensors
        result = torch.empty_like(x)
        views = flat_view(x), weight_view(bias), flat_view(gradient.contiguous()), flat_view(result)
        sums = gelu.bias_gelu_backward(torch_team(), *views)
        return result, torch.from_numpy(sums).to(bias.dtype)


_apply: Callable[..., Tensor] = _BiasGelu.apply
