"""Scores of paths of tags in torch's own operations, on every device, one token after another.

Nothing underflows here, as logarithms are added up; the kernel `foretext.kernels.crf` is tested
against it. Tokens that are not real may stand anywhere: the real ones are moved to the left.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from foretext.nn.chain import Chain

__all__ = ["log_partition", "path_score"]


class _Left(NamedTuple):
    """A batch with its real tokens at the left."""

    scores: Tensor  # (B, T, C)
    lengths: Tensor  # (B,)
    order: Tensor | None  # (B, T) where each token was, None: where it is


def log_partition(emissions: Tensor, chain: Chain, token_mask: Tensor | None) -> Tensor:
    """Return the logs (B,) of the sums over all paths, 0 without real tokens.

    Args:
        emissions: (B, T, C).
        token_mask: (B, T) bool, True = a real token; None: all are.
    """
    scores, lengths, _ = _moved_left(emissions, token_mask)
    sums = chain.start + scores[:, 0]  # (B, C)
    for token in range(1, scores.shape[1]):
        ahead = torch.logsumexp(sums[:, :, None] + chain.transitions, dim=1) + scores[:, token]
        sums = torch.where((token < lengths)[:, None], ahead, sums)
    return torch.logsumexp(sums + chain.end, dim=1).masked_fill(lengths == 0, 0.0)


def path_score(emissions: Tensor, chain: Chain, tags: Tensor, token_mask: Tensor | None) -> Tensor:
    """Return the scores (B,) of the paths `tags` (B, T), 0 without real tokens."""
    scores, lengths, order = _moved_left(emissions, token_mask)
    tags = tags if order is None else tags.gather(1, order)
    real = torch.arange(tags.shape[1], device=tags.device) < lengths[:, None]  # (B, T)
    tags = tags.masked_fill(~real, 0)
    last = tags.gather(1, (lengths - 1).clamp(min=0)[:, None])[:, 0]  # (B,)
    emitted = scores.gather(2, tags[:, :, None])[:, :, 0].masked_fill(~real, 0.0).sum(1)
    stepped = chain.transitions[tags[:, :-1], tags[:, 1:]].masked_fill(~real[:, 1:], 0.0).sum(1)
    edges = (chain.start[tags[:, 0]] + chain.end[last]).masked_fill(lengths == 0, 0.0)
    return emitted + stepped + edges


def _moved_left(emissions: Tensor, token_mask: Tensor | None) -> _Left:
    B, T, C = emissions.shape
    if token_mask is None:
        return _Left(emissions, torch.full((B,), T, device=emissions.device), None)
    order = (~token_mask).to(torch.uint8).argsort(dim=1, stable=True)
    return _Left(emissions.gather(1, order[:, :, None].expand(B, T, C)), token_mask.sum(1), order)
