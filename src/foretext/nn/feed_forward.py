"""The feed-forward part of a layer: two linear maps with an activation between, gated or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.kernels import gated_gelu as kernels
from foretext.kernels import gelu
from foretext.nn.dropout import Dropout
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view, weight_view

__all__ = ["ACTIVATIONS", "GATED", "Activation", "FeedForward", "bias_gelu", "gated_gelu"]

Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "geglu", "geglu_tanh", "swiglu"]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),  # GPT-2's
    "relu": F.relu,
    "silu": F.silu,  # also called swish
    "geglu": F.gelu,  # Shazeer 2020: half of the first map, activated, gates the other half
    "geglu_tanh": partial(F.gelu, approximate="tanh"),  # T5's since its release 1.1
    "swiglu": F.silu,
}
GATED = frozenset({"geglu", "geglu_tanh", "swiglu"})

LANES = 16  # columns that the kernel works on at once


class FeedForward(nn.Module):
    """Linear, activation, linear (Vaswani et al. 2017, 3.3), or its gated form (Shazeer 2020).

    Args:
        dim: width of input and output.
        hidden_dim: width between the two maps; a gated form has two of these in its first map.
        activation: between the maps.
        bias: whether the maps have an additive part.
        dropout: share of the activation's values that is dropped in training.
    """

    def __init__(
        self, dim: int, hidden_dim: int, activation: Activation, *, bias: bool, dropout: float
    ) -> None:
        super().__init__()
        self.gated = activation in GATED
        self.activation = ACTIVATIONS[activation]
        self.inner = nn.Linear(dim, 2 * hidden_dim if self.gated else hidden_dim, bias=bias)
        self.outer = nn.Linear(hidden_dim, dim, bias=bias)
        self.dropout = Dropout(dropout)
        self.fuses = (
            activation == "gelu" and bias
        )  # bias and activation can be one pass over memory

        self.fuses_gate = activation == "geglu_tanh"  # activation and product, likewise

    def forward(self, x: Tensor) -> Tensor:
        """Map x (B, T, D) to (B, T, D)."""
        return self.outer(self.dropout(self._hidden(x)))

    def _hidden(self, x: Tensor) -> Tensor:
        if self.fuses and has_kernels(x) and torch.is_grad_enabled():
            return bias_gelu(F.linear(x, self.inner.weight), self.inner.bias)
        hidden = self.inner(x)
        if self.fuses_gate:
            return gated_gelu(hidden)
        if not self.gated:
            return self.activation(hidden)
        activated, gate = hidden.chunk(2, dim=-1)
        return self.activation(activated) * gate


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """Return gelu(x + bias), of the shape and precision of x.

    Args:
        x: (..., N), the product of a linear map without its bias.
        bias: (N,), of the same precision.
    """
    fits = x.dtype == bias.dtype and x.dtype in (torch.float32, torch.bfloat16)
    if not (has_kernels(x) and fits) or len(bias) % LANES:
        return F.gelu(x + bias)
    return _bias_gelu(x, bias)


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


_bias_gelu: Callable[..., Tensor] = _BiasGelu.apply


def gated_gelu(x: Tensor) -> Tensor:
    """Return gelu(a) b of x = (a, b), side by side: (..., 2 N) becomes (..., N).

    The GELU is the approximate one, with a tanh.
    """
    num_columns = x.shape[-1] // 2
    fits = x.dtype in (torch.float32, torch.bfloat16) and num_columns % LANES == 0
    if not (has_kernels(x) and fits):
        activated, gate = x.chunk(2, dim=-1)
        return F.gelu(activated, approximate="tanh") * gate
    return _gated_gelu(x)


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


_gated_gelu: Callable[..., Tensor] = _GatedGelu.apply
