"""The part of an attention score that depends on distance and segments, for every query and key.

A query is scored against a table of distances in one matrix product. Each of its scores then goes
to the key that stands at that distance: on a CPU by a kernel, elsewhere by `gather`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels import relative_scores as kernels
from foretext.kernels.relative_scores import Places
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view

__all__ = ["LANES", "Distances", "relative_scores"]

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
    return -(-num_keys // LANES) * LANES
