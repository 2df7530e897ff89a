"""The feed-forward part of a layer: two linear maps with an activation between, gated or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.nn.bias_gelu import bias_gelu
from foretext.nn.dropout import Dropout
from foretext.nn.gated_gelu import gated_gelu
from foretext.nn.team import has_kernels

__all__ = ["ACTIVATIONS", "GATED", "Activation", "FeedForward"]

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
