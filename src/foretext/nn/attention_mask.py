"""Attention masks: which keys each query may look at."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.compiler import is_exporting

from foretext.data.batch import Inputs

__all__ = ["AttentionMask", "attention_mask", "windowed_mask"]


class AttentionMask(NamedTuple):
    """What each position may look at."""

    visible: Tensor | None  # (B or 1, 1, T or 1, S) bool; None: all, except what `causal` hides
    causal: bool = False  # only itself and what stands to its left; T = S
    num_queries: int = 0  # the last positions have no keys


def attention_mask(inputs: Inputs, num_cached: int = 0) -> AttentionMask:
    """Return the mask of inputs that follow cached positions.

    Padding stands at the right, so that under a causal mask no real token looks at it.
    """
    if inputs.visibility == "causal":
        assert not inputs.num_queries, "positions that are queries only need full or matrix"
        return _causal_mask(inputs, num_cached)
    T, Q = inputs.ids.shape[1], inputs.num_queries
    S = T - Q
    visible = None if inputs.token_mask is None else inputs.token_mask[:, None, None, :S]
    if inputs.visibility == "matrix":
        assert inputs.visible is not None, "a matrix is needed to say what is visible"
        matrix = inputs.visible[:, None]
        assert matrix.shape[2:] == (T, S), f"{matrix.shape[2:]} for {T} queries and {S} keys"
        visible = matrix if visible is None else matrix & visible
        # A row of padding looks at itself, as a softmax over nothing is not a number.
        visible = visible | torch.eye(T, S, dtype=torch.bool, device=matrix.device)
        if Q and inputs.token_mask is not None:  # padding without a key looks at all
            visible = visible | ~inputs.token_mask[:, None, :, None]
    return AttentionMask(visible, num_queries=Q)


def windowed_mask(
    mask: AttentionMask, inputs: Inputs, window: int, num_cached: int = 0
) -> AttentionMask:
    """Return a mask of what `mask` shows at most `window` positions to each side.

    The local layers of ModernBERT look so (Warner et al. 2024, 2.1.2; Beltagy et al. 2020).
    """
    num_keys = num_cached + inputs.ids.shape[1] - inputs.num_queries
    if not is_exporting() and num_keys <= window + 1 and inputs.positions is None:
        return mask
    order = torch.arange(num_cached + inputs.ids.shape[1], device=inputs.ids.device)
    steps = order[:num_keys] - order[num_cached:, None]  # (T, S), from each query to the right
    distances = steps
    if inputs.positions is not None:
        assert not num_cached, "a cache does not know the positions of its keys"
        distances = inputs.positions[:, :num_keys].unsqueeze(1) - inputs.positions.unsqueeze(2)
        distances = distances.unsqueeze(1)  # (B, 1, T, S)
    near = distances.abs() <= window
    if mask.causal:
        near = near & (steps <= 0)
    if mask.visible is not None:
        # A row of padding looks at itself, as a softmax over nothing is not a number.
        near = mask.visible & near | (steps == 0)
    visible = near if near.dim() == 4 else near[None, None]
    return mask._replace(visible=visible, causal=False)


def _causal_mask(inputs: Inputs, num_cached: int) -> AttentionMask:
    T = inputs.ids.shape[1]
    if num_cached == 0 and is_exporting():  # where T is any number
        return AttentionMask(None, causal=True)
    if num_cached == 0 or T == 1:
        return AttentionMask(None, causal=T > 1)
    visible = torch.ones(T, num_cached + T, dtype=torch.bool, device=inputs.ids.device)
    return AttentionMask(visible.tril(num_cached)[None, None])
