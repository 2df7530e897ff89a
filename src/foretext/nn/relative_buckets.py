"""T5's positions: each head adds a learned score to each pair of positions, by their distance.

Raffel et al. 2020, section 2.1. Distances share a bucket: near ones have one each, further ones as
many as fit between two powers, and all from a certain distance on have the last one. The layers of
a tower share the scores.

P: distances, T + S - 1 of them between T queries and S keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

__all__ = ["RelativeBuckets", "bucket_of_distance"]


class RelativeBuckets(nn.Module):
    """A score for each head and bucket.

    Args:
        num_heads: H.
        num_buckets: of all distances.
        max_distance: from which on all distances are in one bucket.
        max_length: positions of a row.
        both_sides: whether keys at the right have buckets too; else they share that of distance 0.
    """

    def __init__(
        self,
        num_heads: int,
        num_buckets: int,
        max_distance: int,
        max_length: int,
        *,
        both_sides: bool,
    ) -> None:
        super().__init__()
        self.scores = nn.Embedding(num_buckets, num_heads)
        distances = torch.arange(1 - max_length, max_length)  # of a key from its query
        self.bucket_of = partial(
            bucket_of_distance,
            num_buckets=num_buckets,
            max_distance=max_distance,
            both_sides=both_sides,
        )
        buckets = self.bucket_of(distances)
        self.register_buffer("buckets", buckets, persistent=False)  # (2 max_length - 1,)
        self.max_length = max_length

    @torch.no_grad()
    def prefer(self, distances: Sequence[int], score: float) -> None:
        """Add a score to one distance for each head; the heads take the distances in turn."""
        where = torch.tensor(distances, device="cpu")  # known even where weights have no memory
        buckets = self.bucket_of(where).tolist()
        for head in range(self.scores.embedding_dim):
            self.scores.weight[buckets[head % len(buckets)], head] += score

    def forward(self, num_queries: int, num_keys: int, num_cached: int = 0) -> Tensor:
        """Return what is added to the scores of positions that stand in order, (1, H, T, S).

        Args:
            num_queries: T.
            num_keys: S.
            num_cached: keys that stand before the first query.
        """
        first = self.max_length - num_cached - num_queries  # the last query, the first key
        buckets = self.buckets[first : first + num_queries + num_keys - 1]  # type: ignore[index]
        return _apply(F.embedding(buckets, self.scores.weight).T, num_queries, num_keys)[None]

    def of_positions(self, positions: Tensor, num_keys: int) -> Tensor:
        """Return what is added to the scores of positions (B, T), (B, H, T, S).

        The keys are the first `num_keys` of them.
        """
        distances = positions[:, None, :num_keys] - positions[:, :, None]  # (B, T, S)
        last = self.max_length - 1
        buckets = self.buckets[distances.clamp(-last, last) + last]  # type: ignore[index]
        return F.embedding(buckets, self.scores.weight).permute(0, 3, 1, 2)


def bucket_of_distance(
    distances: Tensor, num_buckets: int, max_distance: int, *, both_sides: bool
) -> Tensor:
    """Return the bucket of each distance, which is a key's position minus its query's.

    Args:
        distances: int64, of any shape.
        num_buckets: of all distances; with `both_sides` the second half is for keys at the right.
        max_distance: from which on all distances are in one bucket.
        both_sides: whether keys at the right have buckets of their own.
    """
    if both_sides:
        num_buckets //= 2
    steps = distances.abs() if both_sides else (-distances).clamp(min=0)
    exact = num_buckets // 2
    # In float32 and in this order, as in the library of the authors: rounding decides.
    growth = torch.log(steps.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    shared = exact + (growth * (num_buckets - exact)).long()
    buckets = torch.where(steps < exact, steps, shared.clamp(max=num_buckets - 1))
    return buckets + num_buckets * (distances > 0) if both_sides else buckets


class _ByDistance(torch.autograd.Function):
    """Scores (H, P), from the least distance to the largest, as (H, T, S)."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, num_queries: int, num_keys: int) -> Tensor:
        ctx.sizes = num_queries, num_keys
        return scores.unfold(1, num_keys, 1).flip(1)  # the last query has the least distances

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        H, (T, S) = len(gradient), ctx.sizes
        P = T + S - 1
        spread = gradient.new_zeros(H, T, P)
        # query i begins at column T - 1 - i
        spread.as_strided((H, T, S), (T * P, P - 1, 1), T - 1).copy_(gradient)
        return spread.sum(1), None, None


_apply: Callable[..., Tensor] = _ByDistance.apply
