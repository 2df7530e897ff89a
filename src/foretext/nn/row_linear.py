"""Networks that generate token by token on a CPU, where reading the weights takes the time.

Every linear map gets a copy of its weights in bfloat16, laid out for a single row
(`foretext.kernels.row_linear`). States, norms, attention and the reading of a prompt stay float32.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.kernels.row_linear import pack_blocks, row_linear
from foretext.nn.linear_maps import with_linear_maps
from foretext.nn.team import torch_team
from foretext.nn.token_head import TokenHead

__all__ = ["RowLinear", "for_single_rows", "head_for_single_rows"]

MOST_ROWS = 8  # more are multiplied faster by the library

M = TypeVar("M", bound=nn.Module)


class RowLinear(nn.Module):
    """A linear map, fast for a few rows; not to be trained.

    Args:
        weight: (N, K) float32, which is kept for many rows.
        bias: (N,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight.detach(), None if bias is None else bias.detach()
        self._num_outputs, self._width = weight.shape
        self._blocks = pack_blocks(self.weight.numpy())
        self._bias = np.zeros(self._blocks.size // self._width, np.float32)
        if self.bias is not None:
            self._bias[: self._num_outputs] = self.bias.numpy()

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., K) float32 to (..., N)."""
        num_rows = x.numel() // self._width
        if num_rows > MOST_ROWS:
            return F.linear(x, self.weight, self.bias)
        rows = x.contiguous().view(-1).numpy()
        outputs = torch.empty(*x.shape[:-1], self._bias.size)
        flat = outputs.view(-1).numpy()
        row_linear(torch_team(), self._blocks, self._bias, rows, flat, self._width)
        return outputs[..., : self._num_outputs]

    def part(self, x: Tensor, outputs: slice) -> Tensor:
        """Map (..., K) float32 to some of the N outputs."""
        bias = None if self.bias is None else self.bias[outputs]
        return F.linear(x, self.weight[outputs], bias)


def for_single_rows(network: M) -> M:
    """Return the network with its linear maps replaced; all other weights are shared with it."""
    return with_linear_maps(network, RowLinear)


def head_for_single_rows(head: TokenHead) -> nn.Module:
    """Return what maps states to logits, of this kind."""
    return for_single_rows(head.as_layers())
