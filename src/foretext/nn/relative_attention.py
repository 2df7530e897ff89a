"""Attention that knows distances, not positions, and whether two tokens are of one segment.

The score of query i and key j is ((q_i + u) k_j + (q_i + v) W r_{i-j} + (q_i + w) s) / √d. r is a
sinusoid of the distance (Dai et al. 2019, "Transformer-XL", section 3.3); s is one of two vectors,
for the same segment and for another (Yang et al. 2019, "XLNet", section 2.5).

The part of an attention score that depends on distance and segments, for every query and key. A
query is scored against a table of distances in one matrix product. Each of its scores then goes
to the key that stands at that distance: on a CPU by a kernel, elsewhere by `gather`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.kernels import relative_scores as kernels
from foretext.kernels.relative_scores import Places
from foretext.nn.attention import attend, split_heads
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view

__all__ = ["Distances", "RelativeAttention", "RelativeLayout", "distance_table", "relative_scores"]

LANES = 16  # columns that the kernel works on at once


class Distances(NamedTuple):
    """How far each query is from each key, and whether both are of one segment."""

    firsts: Tensor  # (B or 1, T) int64: column `firsts + j` of the table is the distance to key j
    num_keys: int  # S
    differs: Tensor | None = None  # (B or 1, T, S) bool: query and key are of different segments

    @classmethod
    def between(cls, positions: Tensor, num_keys: int, differs: Tensor | None = None) -> Distances:
        """Return the distances from queries at `positions` (B or 1, T), from 0 to S, to S keys."""
        return cls(num_keys - positions, num_keys, differs)

    @staticmethod
    def num_columns(num_keys: int) -> int:
        """Return the columns of a table for so many keys; column k is the distance S - k."""
        return 2 * _padded(num_keys)


class RelativeLayout(NamedTuple):
    """How the positions of a batch relate to each other; the same in all layers."""

    mask: AttentionMask
    distances: Distances
    table: Tensor  # (P, D), the sinusoids of the distances

    def last(self, num_queries: int) -> RelativeLayout:
        """Return the layout of the last queries, on the same keys."""
        visible, (firsts, num_keys, differs) = self.mask.visible, self.distances
        if visible is not None and visible.shape[2] > 1:
            visible = visible[:, :, -num_queries:]
        differs = None if differs is None else differs[:, -num_queries:]
        distances = Distances(firsts[:, -num_queries:], num_keys, differs)
        return self._replace(mask=self.mask._replace(visible=visible), distances=distances)


class RelativeAttention(nn.Module):
    """Each position becomes a mean of what it looks at.

    Args:
        dim: width; a multiple of `num_heads`.
        num_heads: means taken side by side.
        dropout: share of the weights that is dropped in training.
    """

    def __init__(self, dim: int, num_heads: int, *, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.scale = (dim // num_heads) ** -0.5
        self.query_key_value = nn.Linear(dim, 3 * dim, bias=False)
        self.distance = nn.Linear(dim, dim, bias=False)  # W
        self.output = nn.Linear(dim, dim, bias=False)
        shape = (num_heads, dim // num_heads)
        self.content_bias = nn.Parameter(torch.zeros(shape))  # u
        self.distance_bias = nn.Parameter(torch.zeros(shape))  # v
        self.segment_bias = nn.Parameter(torch.zeros(shape))  # w
        self.segments = nn.Parameter(torch.zeros(2, *shape))  # s: the same segment, another one

    def vectors(self) -> tuple[nn.Parameter, ...]:
        """Return the weights that are no matrices: u, v, w and s."""
        return self.content_bias, self.distance_bias, self.segment_bias, self.segments

    def forward(self, x: Tensor, layout: RelativeLayout, num_needed: int | None = None) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the last `num_needed` positions of that.

        Then these are queries, and the layout is theirs.
        """
        query, key, value = self._heads(x, layout.mask.num_queries, num_needed)
        bias = self._bias(query, layout)
        dropout = self.dropout if self.training else 0.0
        mixed = attend(query, key, value, layout.mask, bias, self.scale, dropout=dropout)
        return self.output(mixed.transpose(1, 2).flatten(2))

    def weights(self, x: Tensor, layout: RelativeLayout) -> Tensor:
        """Return how much each position takes from each, (B, H, T, S); rows sum to 1."""
        query, key, _ = self._heads(x, layout.mask.num_queries)
        scores = query @ key.mT * self.scale + self._bias(query, layout)
        if layout.mask.visible is not None:
            scores = scores.masked_fill(~layout.mask.visible, -math.inf)
        return scores.softmax(-1)

    def _heads(
        self, x: Tensor, num_queries: int, num_needed: int | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return q + u (B, H, T, d), keys and values (B, H, S, d)."""
        D, weight = x.shape[2], self.query_key_value.weight
        content = self.content_bias.flatten()
        if not num_queries:
            bias = F.pad(content, (0, 2 * D))  # neither keys nor values have one
            query, key, value = split_heads(F.linear(x, weight, bias), 3, self.num_heads)
            return query, key, value
        asking = x if num_needed is None else x[:, -num_needed:]
        (query,) = split_heads(F.linear(asking, weight[:D], content), 1, self.num_heads)
        keys = F.linear(x[:, :-num_queries], weight[D:])
        key, value = split_heads(keys, 2, self.num_heads)
        return query, key, value

    def _bias(self, query: Tensor, layout: RelativeLayout) -> Tensor:
        """Return the part of the scores that does not depend on the key's content, (B, H, T, S).

        Args:
            query: q + u, (B, H, T, d).
            layout: of the positions.
        """
        B, H, T, d = query.shape
        heads = query.transpose(0, 1).reshape(H, B * T, d)
        table = self.distance(layout.table).view(-1, H, d).permute(1, 2, 0)  # (H, d, P)
        v = self.distance_bias - self.content_bias
        scores = torch.bmm(heads + v[:, None], table).view(H, B, T, -1)
        deltas = None
        if layout.distances.differs is not None:
            same, other = self.segments
            w = self.segment_bias - self.content_bias
            deltas = torch.bmm(heads + w[:, None], (other - same)[..., None]).view(H, B, T)
        return relative_scores(scores, deltas, layout.distances, self.scale)


def distance_table(max_length: int, dim: int) -> Tensor:
    """Return sinusoids of the distances max_length, max_length - 1, ..., (rows, dim).

    There are rows for each row of text up to that length. Sines stand before cosines.
    """
    distances = max_length - torch.arange(2 * (max_length + LANES), dtype=torch.float64)
    frequencies = 10_000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = torch.outer(distances, frequencies)
    return torch.cat((angles.sin(), angles.cos()), dim=-1).float()


def relative_scores(
    scores: Tensor, deltas: Tensor | None, distances: Distances, scale: float
) -> Tensor:
    """Return the scaled scores of keys, (B, H, T, S); float32 on a CPU.

    Args:
        scores: (H, B, T, P), of each query against the distances of the table.
        deltas: (H, B, T), added where segments differ; None: `distances` knows no segments.
        distances: of queries and keys.
        scale: of the scores.
    """
    if has_kernels(scores):
        return _apply(scores, deltas, distances, scale)
    return _gathered(scores, deltas, distances, scale)


def _gathered(scores: Tensor, deltas: Tensor | None, distances: Distances, scale: float) -> Tensor:
    columns = torch.arange(distances.num_keys, device=scores.device)
    places = distances.firsts[:, :, None] + columns  # (B, T, S)
    found = scores.gather(3, places.expand(*scores.shape[:3], -1))
    if deltas is not None and distances.differs is not None:
        found = found + deltas[..., None] * distances.differs
    return (found * scale).transpose(0, 1)


class _RelativeScores(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, deltas: Tensor | None, distances: Distances, scale: float
    ) -> Tensor:
        H, B, T, _ = scores.shape
        places = _places(distances, scores.shape)
        added = scores.new_zeros(H, B, T) if deltas is None else deltas
        relative = torch.empty(B, H, T, places.num_keys)
        arrays = flat_view(scores.contiguous()), flat_view(added.float().contiguous())
        kernels.relative_scores(torch_team(), *arrays, places, scale, flat_view(relative))
        ctx.places, ctx.scale, ctx.shape, ctx.dtype = places, scale, scores.shape, scores.dtype
        ctx.deltas_dtype = None if deltas is None else deltas.dtype
        return relative[..., : distances.num_keys]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, errors: Tensor) -> tuple[Tensor | None, ...]:
        places: Places = ctx.places
        errors = F.pad(errors.float(), (0, places.num_keys - errors.shape[3])).contiguous()
        of_scores = torch.empty(ctx.shape, dtype=ctx.dtype)
        of_deltas = torch.empty(ctx.shape[:3])
        arrays = flat_view(of_scores), flat_view(of_deltas)
        kernels.relative_scores_backward(
            torch_team(), flat_view(errors), places, ctx.scale, *arrays
        )
        kept = None if ctx.deltas_dtype is None else of_deltas.to(ctx.deltas_dtype)
        return of_scores, kept, None, None


_apply: Callable[..., Tensor] = _RelativeScores.apply


def _places(distances: Distances, shape: torch.Size) -> Places:
    H, B, T, P = shape
    S = _padded(distances.num_keys)
    assert P >= 2 * S, f"{P} distances for {S} keys"
    differs = torch.zeros(1, 1, S)
    if distances.differs is not None:
        differs = F.pad(distances.differs.float(), (0, S - distances.num_keys)).contiguous()
    firsts = distances.firsts.expand(B, T).contiguous()
    low, high = (int(end) for end in torch.aminmax(firsts))
    assert 0 <= low <= high <= P - S, f"first columns {low} to {high} of {P}"
    text, row = (
        stride if size > 1 else 0
        for size, stride in zip(differs.shape[:2], differs.stride()[:2], strict=True)
    )
    return Places(flat_view(firsts), flat_view(differs), text, row, H, B, T, P, S)


def _padded(num_keys: int) -> int:
    if torch.compiler.is_exporting():  # a graph has no kernel
        return num_keys
    return -(-num_keys // LANES) * LANES
