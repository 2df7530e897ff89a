"""The gated GELU of a feed-forward part, in one pass over memory each way on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels import gated_gelu as kernels
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view

__all__ = ["gated_gelu"]

LANES = 16  # columns that the kernel works on at once


def gated_gelu(x: Tensor) -> Tensor:
    """Return gelu(a) b of x = (a, b), side by side: (..., 2 N) becomes (..., N).

    The GELU is the approximate one, with a tanh.
    """
    num_columns = x.shape[-1] // 2
    fits = x.dtype in (torch.float32, torch.bfloat16) and num_columns % LANES == 0
    if not (has_kernels(x) and fits):
        activated, gate = x.chunk(2, dim=-1)
        return F.gelu(activated, approximate="tanh") * gate
    return _apply(x)


class _GatedGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x = x.contiguous()
        num_columns = x.shape[-1] // 2
        result = x.new_empty(*x.shape[:-1], num_columns)
        kernels.gated_gelu(torch_team(), flat_view(x), flat_view(result), num_columns)
        ctx.save_for_backward(x)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        result = torch.empty_like(x)
        kernels.gated_gelu_backward(
            torch_team(),
            flat_view(x),
            flat_view(gradient.contiguous()),
            flat_view(result),
            gradient.shape[-1],
        )
        return result


_apply: Callable[..., Tensor] = _GatedGelu.apply
