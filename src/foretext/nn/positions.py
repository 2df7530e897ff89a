"""Where a token stands: sinusoids (Vaswani et al. 2017, 3.5) and rotations (Su et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Rotary", "sinusoids"]


def sinusoids(length: int, dim: int) -> Tensor:
    """Return (length, D): sines in the even columns and cosines in the odd ones."""
    angles = _angles(length, dim, 10_000.0)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, :dim]


class Rotary(nn.Module):
    """Rotates queries and keys by their positions, so that scores depend on distances alone.

    The first half of a head's columns is paired with the second half, as in Llama.

    Args:
        dim: columns of a head; even.
        max_length: positions.
        base: the longest wave is about 2π times as long.
    """

    def __init__(self, dim: int, max_length: int, base: float) -> None:
        super().__init__()
        angles = _angles(max_length, dim, base)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)  # (max_length, dim) fp32
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Rotate x (B, H, T, D / H), whose first position is `first`."""
        T = x.shape[2]
        cos = self.cos[first : first + T].to(x.dtype)  # type: ignore[index]
        sin = self.sin[first : first + T].to(x.dtype)  # type: ignore[index]
        left, right = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-right, left), dim=-1) * sin


def _angles(length: int, dim: int, base: float) -> Tensor:
    """(length, ceil(dim / 2)): position times frequency."""
    frequencies = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    return torch.outer(torch.arange(length, dtype=torch.float64), frequencies).float()
