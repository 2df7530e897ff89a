"""Rows of a batch one after another, without padding, where a CPU infers.

Linear maps and norms work on each position by itself, so padding is work for nothing. Only
attention has to know where a row ends (Warner et al. 2024, "ModernBERT", 2.1.3: unpadding).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple, Self

import torch
from torch import Tensor

__all__ = ["Rows", "Unpadded", "by_rows"]

FILL = 16  # positions are a multiple of it: the matrix library keeps code for each number of them
# Multiplications of a layer's maps that attention of rows of one more length costs, for D² of each
# position: some 20 µs
LEAST_WORK = 150_000


class Rows(NamedTuple):
    """Some rows of equal length, one after another."""

    number: int
    length: int


class Unpadded(NamedTuple):
    """Which positions of a batch are real.

    Attributes:
        real: (B, T) bool.
        rows: the real positions, and those that fill up, as rows.
        num_filled: positions that fill up.
    """

    real: Tensor
    rows: tuple[Rows, ...]
    num_filled: int

    @classmethod
    def of(cls, token_mask: Tensor | None, dim: int) -> Self | None:
        """Return those of a mask (B, T); None: a network of this width would not be faster."""
        if token_mask is None or token_mask.device.type != "cpu" or torch.is_grad_enabled():
            return None
        lengths = token_mask.sum(1).tolist()
        rows = [Rows(len([*same]), length) for length, same in groupby(lengths) if length]
        num_tokens = sum(lengths)
        num_filled = -num_tokens % FILL
        saved = token_mask.numel() - num_tokens - num_filled
        if saved * dim * dim < LEAST_WORK * len(rows):
            return None
        if num_filled:
            rows.append(Rows(1, num_filled))
        return cls(token_mask, tuple(rows), num_filled)

    def joined(self, x: Tensor) -> Tensor:
        """Return the real positions of x (B, T, ...), and zeros, (1, N, ...)."""
        real = x[self.real]
        return torch.cat([real, real.new_zeros(self.num_filled, *real.shape[1:])])[None]

    def apart(self, x: Tensor) -> Tensor:
        """Return x (1, N, ...) as rows again, (B, T, ...), zeros where there is padding."""
        found = x.new_zeros(*self.real.shape, *x.shape[2:])
        found[self.real] = x[0, : x.shape[1] - self.num_filled]
        return found

    def positions(self) -> Tensor:
        """Return where each position stands in its row, (1, N)."""
        return self.joined(torch.arange(self.real.shape[1]).expand(self.real.shape))


def by_rows(
    attend: Callable[..., Tensor], rows: tuple[Rows, ...], query: Tensor, key: Tensor, value: Tensor
) -> Tensor:
    """Let each row look at itself alone.

    Args:
        attend: (R, H, L, d) of query, key and value to the same.
        rows: that the positions are of.
        query, key, value: (1, H, N, d).

    Returns:
        (1, H, N, d).
    """
    found = [attend(*parts) for parts in _parts(rows, query, key, value)]  # (R, H, L, d) each
    return torch.cat([each.transpose(0, 1).flatten(1, 2) for each in found], 1)[None]


def _parts(rows: tuple[Rows, ...], *heads: Tensor) -> Iterator[list[Tensor]]:
    """Yield (R, H, L, d) of each of the heads, (1, H, N, d), for rows of one length."""
    _, H, _, d = heads[0].shape
    start = 0
    for number, length in rows:
        stop = start + number * length
        yield [each[0, :, start:stop].view(H, number, length, d).transpose(0, 1) for each in heads]
        start = stop
