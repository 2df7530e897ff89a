"""A convolution over the positions of a row, one window a position (LeCun et al. 1989)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["Convolution"]


class Convolution(nn.Module):
    """Linear maps of windows, each with its position in the middle; of an even one left of it.

    A row is padded with zeros on both sides, so that every position has a whole window. There is no
    activation.

    Args:
        dim: width of a position, D.
        num_maps: M, features of a window.
        width: positions of a window.
    """

    def __init__(self, dim: int, num_maps: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(torch.empty(num_maps, dim, width))
        self.bias = nn.Parameter(torch.zeros(num_maps))
        bound = (dim * width) ** -0.5
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D), zeros where there is padding, to (B, T, M)."""
        x = F.pad(x, (0, 0, (self.width - 1) // 2, self.width // 2))
        # As an image of one line, (B, D, 1, T), whose channels come last in memory: one kernel of
        # oneDNN takes it as it is, where conv1d would first turn it around, at half the speed.
        plane = x.transpose(1, 2).unsqueeze(2)
        return F.conv2d(plane, self.weight.unsqueeze(2), self.bias).squeeze(2).transpose(1, 2)
