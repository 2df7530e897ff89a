"""What each of N processes keeps in its memory in a step, and what it sends, by kind of sharding.

P weights in all; with full sharding R of them stand outside of blocks (embeddings, heads), and the
largest block has K. Bytes a weight, w those of a number that is computed with (2 in bfloat16, 4 in
float32), m those of masters beside them (4 in bfloat16, none in float32):

| | none | optimizer | full |
|---|---|---|---|
| weights | w P | w P | 4 P / N + w (R + 2 K + max(R, K)) |
| gradients | w P + 4 P, the sum | w P + 8 P / N | 4 P / N + w (R + K) + 4 max(R, K) |
| optimizer | (m + 8) P | (m + 8) P / N | 12 P / N |

In one process nothing is summed, and nothing is shared. Sums go in float32: as gradients of 4 P
once, and weights come back in w P, with full sharding twice. On a ring each process sends (N - 1) /
N of that (docs/decisions/0019-sharded-optimizer.md, 0080-full-sharding.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

__all__ = ["Footprint", "Sharding", "Weights", "footprint"]

Sharding = Literal["none", "optimizer", "full"]
SUM = 4  # bytes of a gradient that is summed
MOMENTS = 8


class Weights(NamedTuple):
    """How many weights a network has, and where."""

    every: int
    outside: int  # of blocks
    largest: int  # of a block


@dataclass(frozen=True)
class Footprint:
    """Bytes of one process."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    sent: int  # a step, to other processes

    @property
    def total(self) -> int:
        """All that is in memory."""
        return self.weights + self.gradients + self.optimizer + self.activations


def footprint(
    weights: Weights, kind: Sharding, processes: int, dtype: torch.dtype, activations: int
) -> Footprint:
    """Return the bytes of one process in a step.

    Args:
        weights: of the network.
        kind: what is shared out.
        processes: N.
        dtype: what is computed in.
        activations: bytes of them; they are never shared.
    """
    P, R, K = weights
    N, w = processes, dtype.itemsize
    master = 0 if dtype == torch.float32 else 4
    if N == 1:
        return Footprint(w * P, w * P, (master + MOMENTS) * P, activations, 0)
    sums, ring = SUM * P, (N - 1) / N
    if kind == "none":
        sent = round(2 * sums * ring)
        return Footprint(w * P, w * P + sums, (master + MOMENTS) * P, activations, sent)
    if kind == "optimizer":
        gradients, optimizer = w * P + 2 * sums // N, (master + MOMENTS) * P // N
        return Footprint(w * P, gradients, optimizer, activations, round((sums + w * P) * ring))
    return Footprint(
        weights=4 * P // N + w * (R + 2 * K + max(R, K)),  # the last: as it comes in
        gradients=sums // N + w * (R + K) + SUM * max(R, K),
        optimizer=12 * P // N,
        activations=activations,
        sent=round((sums + 2 * w * P) * ring),
    )
