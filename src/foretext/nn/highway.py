"""Highway layers (Srivastava et al. 2015, equation 3): a gate mixes an input and its transform."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["Highway"]

TRANSFORM_BIAS = -2.0  # a layer passes most of its input on at first (Kim et al. 2016, 3.2)


class Highway(nn.Module):
    """One layer: t · relu(W x + b) + (1 - t) · x, where t = sigmoid(W_t x + b_t).

    Args:
        dim: width of inputs and outputs, D.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, 2 * dim)  # what the layer makes, then the gate
        with torch.no_grad():
            self.linear.bias[:dim] = 0
            self.linear.bias[dim:] = TRANSFORM_BIAS

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., D) to (..., D)."""
        made, gate = self.linear(x).chunk(2, -1)
        return torch.lerp(x, F.relu(made), torch.sigmoid(gate))
