"""Disentangled attention (He et al. 2021, "DeBERTa", section 3.1).

A position has a vector of its content, and every distance between two positions has a vector too.
The score of query i and key j is q_i · k_j + q_i · kr(i - j) + k_j · qr(i - j), divided by √(3 d):
content to content, content to position, position to content. Far distances share a vector.

P: distances, one column each. N: queries or keys, of which there are T and S.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.nn.attention import Layout, SelfAttention, split_heads
from foretext.nn.dropout import Dropout

__all__ = ["DisentangledAttention", "distance_buckets", "distance_scores"]

NUM_SCORES = 3  # that are summed


class DisentangledAttention(SelfAttention):
    """Attention that also compares contents with distances; `Layout.distances` has their vectors.

    Args:
        dim: width; a multiple of `num_heads`.
        num_heads: means taken side by side.
        shared_maps: whether contents and distances become queries and keys by the same maps.
        dropout: share of the weights that is dropped in training.
        distance_dropout: share of the distances' vectors that is dropped in training.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        shared_maps: bool,
        dropout: float,
        distance_dropout: float,
    ) -> None:
        scale = (NUM_SCORES * (dim // num_heads)) ** -0.5
        super().__init__(dim, num_heads, bias=True, dropout=dropout, scale=scale)
        self.distance_scale = scale
        self.distance_query_key = None if shared_maps else nn.Linear(dim, 2 * dim)
        self.distance_dropout = Dropout(distance_dropout)

    def bias_of(self, query: Tensor, key: Tensor, layout: Layout) -> Tensor:
        """Return the scaled scores of contents and distances, (B, H, T, S)."""
        assert layout.distances is not None, "disentangled attention needs vectors of distances"
        T, S = query.shape[2], key.shape[2]
        of_distances = self.distance_dropout(layout.distances[S - T :])  # (T + S - 1, D)
        queries, keys = self._distance_heads(of_distances)  # (H, T + S - 1, d)
        to_distances = _products(query, keys)  # from the largest distance to the least
        from_distances = _products(key, queries.flip(1))  # from the least to the largest
        return distance_scores(to_distances, from_distances)

    def _distance_heads(self, vectors: Tensor) -> list[Tensor]:
        """Return scaled queries and keys of distances (P, D), (H, P, d) each."""
        if self.distance_query_key is None:
            width = 2 * vectors.shape[1]
            weight, bias = self.query_key_value.weight[:width], self.query_key_value.bias[:width]
        else:
            weight, bias = self.distance_query_key.weight, self.distance_query_key.bias
        heads = split_heads(F.linear(vectors[None], weight, bias), 2, self.num_heads)
        return [part[0] * self.distance_scale for part in heads]


def distance_buckets(num_keys: int, num_buckets: int | None, max_distance: int) -> Tensor:
    """Return the number of the vector of each distance, the largest distance first, (2 S - 1,).

    Distances up to half of `num_buckets` have a vector each, further ones share the others: as many
    for each multiple of the distance (He et al. 2023, "DeBERTaV3", as Raffel et al. 2020).

    Args:
        num_keys: S; distances are S - 1 to 1 - S.
        num_buckets: of each sign; None: `max_distance`, one a distance.
        max_distance: from which on all distances are the same.
    """
    distances = torch.arange(num_keys - 1, -num_keys, -1)
    if num_buckets is None:
        return (distances + max_distance).clamp(0, 2 * max_distance - 1)
    exact = num_buckets // 2
    if num_keys - 1 <= exact:
        return distances + num_buckets
    far = distances.abs().clamp(min=exact)
    # In float32 and in this order: rounding up decides between two buckets.
    growth = torch.log(far / exact) / torch.log(torch.tensor((max_distance - 1) / exact))
    bucket = torch.ceil(growth * (exact - 1)) + exact
    shared = torch.where(distances.abs() <= exact, distances, (bucket * distances.sign()).long())
    return (shared + num_buckets).clamp(0, 2 * num_buckets - 1)


def distance_scores(to_distances: Tensor, from_distances: Tensor) -> Tensor:
    """Return sums of the scores of queries and of keys at their distance, (B, H, T, S).

    Args:
        to_distances: (H, B, T, P), of queries; column c has the distance T - 1 - c.
        from_distances: (H, B, S, P), of keys; column c has the distance c - (S - 1).
    """
    if torch.compiler.is_exporting():
        T, S = to_distances.shape[2], from_distances.shape[2]
        return _traced_diagonals(to_distances, S) + _traced_diagonals(from_distances, T).mT
    return _apply(to_distances, from_distances)


class _DistanceScores(torch.autograd.Function):
    """Reads what belongs together along diagonals, which are views with other strides."""

    @staticmethod
    def forward(ctx: Any, to_distances: Tensor, from_distances: Tensor) -> Tensor:
        (H, B, T, _), S = to_distances.shape, from_distances.shape[2]
        ctx.sizes = T, S, to_distances.shape[3]
        scores = to_distances.new_empty(B, H, T, S)
        return torch.add(_diagonals(to_distances, S), _diagonals(from_distances, T).mT, out=scores)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        (B, H), (T, S, P) = gradient.shape[:2], ctx.sizes
        to_distances = gradient.new_zeros(H, B, T, P)
        from_distances = gradient.new_zeros(H, B, S, P)
        _diagonals(to_distances, S).copy_(gradient)
        _diagonals(from_distances, T).copy_(gradient.mT)
        return to_distances, from_distances


_apply: Callable[..., Tensor] = _DistanceScores.apply


def _diagonals(scores: Tensor, length: int) -> Tensor:
    """View scores (H, B, N, P) as (B, H, N, length): row n begins at column N - 1 - n."""
    H, B, N, P = scores.shape
    assert scores.is_contiguous(), f"a view of strides {scores.stride()}"
    assert N + length - 1 <= P, f"{P} columns, {N} rows of {length}"
    strides = (N * P, B * N * P, P - 1, 1)
    return scores.as_strided((B, H, N, length), strides, scores.storage_offset() + N - 1)


def _traced_diagonals(scores: Tensor, length: int) -> Tensor:
    """Return what `_diagonals` views, in a graph that is traced, which knows no strides."""
    H, B, N, P = scores.shape
    rows = F.pad(scores, (0, 1)).flatten(2)[:, :, N - 1 : N - 1 + N * P]  # as if of P columns
    return rows.reshape(H, B, N, P)[..., :length].transpose(0, 1)


def _products(contents: Tensor, distances: Tensor) -> Tensor:
    """Multiply contents (B, H, N, d) with distances (H, P, d): (H, B, N, P).

    One product a head for all texts: the distances are the same for all.
    """
    B, H, N, d = contents.shape
    rows = contents.transpose(0, 1).reshape(H, B * N, d)
    return torch.bmm(rows, distances.mT).view(H, B, N, -1)
