"""Where a token stands: sinusoids (Vaswani et al. 2017, 3.5) and rotations (Su et al. 2021)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

__all__ = ["Rotary", "Rotation", "SinusoidOrder", "sinusoids"]

SinusoidOrder = Literal["interleaved", "halves"]  # of the columns; Marian has halves


def sinusoids(length: int, dim: int, order: SinusoidOrder = "interleaved") -> Tensor:
    """Return (length, D): sines in the even columns and cosines in the odd ones.

    In halves the sines stand in the first columns, the cosines behind them.
    """
    angles = _angles(length, dim, 10_000.0)
    if order == "halves":
        return torch.cat((angles.sin(), angles.cos()), dim=-1)[:, :dim]
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, :dim]


class Rotation(NamedTuple):
    """The angles by which queries and keys of T positions are rotated."""

    cos: Tensor  # (T, d), or (B, 1, T, d) where rows differ
    sin: Tensor

    def applied(self, x: Tensor) -> Tensor:
        """Rotate x, (B, H, T', d), whose positions are the first T' ≤ T."""
        T = x.shape[2]
        left, right = x.chunk(2, dim=-1)
        turned = torch.cat((-right, left), dim=-1)
        return x * self.cos[..., :T, :] + turned * self.sin[..., :T, :]


class Rotary(nn.Module):
    """Rotates queries and keys by their positions, so that scores depend on distances only.

    The first half of a head's columns is paired with the second half, as in Llama.

    Args:
        dim: columns of a head, d; even.
        max_length: positions.
        base: the longest wave is about 2π times as long.
    """

    def __init__(self, dim: int, max_length: int, base: float) -> None:
        super().__init__()
        angles = _angles(max_length, dim, base)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)  # (max_length, dim) fp32
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, positions: slice | Tensor, dtype: torch.dtype) -> Rotation:
        """Return the rotation of positions: the same of all rows, or (B, T) int64."""
        cos, sin = (table[positions].to(dtype) for table in (self.cos, self.sin))  # type: ignore[index]
        return Rotation(cos, sin) if cos.dim() == 2 else Rotation(cos[:, None], sin[:, None])


def _angles(length: int, dim: int, base: float) -> Tensor:
    """(length, ceil(dim / 2)): position times frequency."""
    frequencies = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    return torch.outer(torch.arange(length, dtype=torch.float64), frequencies).float()
