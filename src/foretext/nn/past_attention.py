"""Attention of a recurrent network to its own past (Cheng et al. 2016; Daniluk et al. 2017, 2.1).

A state h_t scores the states before it, and a softmax over these makes weights of the scores. Their
weighted mean c_t stands beside h_t, so that both widths are kept: [h_t; c_t]. The first state has
no past, and its c is zero. The attention stands behind the cells, which read a row in one call; in
Cheng et al. it stands within the cell, and Daniluk et al. map [h_t; c_t] back to one width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.source_attention import ScoreKind, SourceAttention

__all__ = ["PastAttention"]


class PastAttention(nn.Module):
    """What each state of a row takes from the states before it.

    Args:
        kind: of the scores.
        dim: width of a state, D.
    """

    def __init__(self, kind: ScoreKind, dim: int) -> None:
        super().__init__()
        self.attention = SourceAttention(kind, dim, dim, dim)

    def forward(self, states: Tensor, past: Tensor) -> Tensor:
        """Return [h; c] of states (B, T, D) that follow `past` (B, P, D), (B, T, 2 D)."""
        whole = torch.cat((past, states), 1)
        context = self.weights(states, past).to(states.dtype) @ whole
        return torch.cat((states, context), -1)

    def weights(self, states: Tensor, past: Tensor) -> Tensor:
        """Return the weights (B, T, P + T), float32; rows sum to 1, that of a first state to 0."""
        T, P = states.shape[1], past.shape[1]
        visible = torch.ones(T, P + T, dtype=torch.bool, device=states.device).tril(P - 1)
        keys = self.attention.keys(torch.cat((past, states), 1))
        weights: Tensor = self.attention(states, keys, AttentionMask(visible[None, None]))
        return weights.masked_fill(~visible, 0)
