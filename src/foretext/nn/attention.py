"""Multi-head self-attention (Vaswani et al. 2017, section 3.2).

What a position may look at comes from outside, as a mask or as the word "causal". Scores are never
held as a whole: the work is done by PyTorch's fused attention or, where a CPU trains, by ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.data.batch import Inputs
from foretext.nn.cache import KeyValueCache
from foretext.nn.cpu_attention import cpu_attention
from foretext.nn.positions import Rotary

__all__ = ["AttentionMask", "SelfAttention", "attention_mask", "windowed_mask"]


class AttentionMask(NamedTuple):
    """What each position may look at."""

    visible: Tensor | None  # (B or 1, 1, T, S) bool; None: nothing is hidden but by `causal`
    causal: bool  # only itself and what stands to its left


def attention_mask(inputs: Inputs, num_cached: int = 0) -> AttentionMask:
    """Say what the positions of `inputs`, which come after cached ones, may look at.

    Padding stands at the right, so that under a causal mask no real token can see it.
    """
    T = inputs.ids.shape[1]
    if inputs.visibility == "causal":
        if num_cached == 0 or T == 1:
            return AttentionMask(None, causal=T > 1)
        seen = torch.ones(T, num_cached + T, dtype=torch.bool, device=inputs.ids.device)
        return AttentionMask(seen.tril(num_cached)[None, None], causal=False)
    visible = None if inputs.token_mask is None else inputs.token_mask[:, None, None, :]
    if inputs.visibility == "matrix":
        assert inputs.visible is not None, "a matrix is needed to say what is visible"
        matrix = inputs.visible[:, None]
        visible = matrix if visible is None else matrix & visible
        # A row of padding sees itself, as a softmax over nothing is not a number.
        visible = visible | torch.eye(T, dtype=torch.bool, device=matrix.device)
    return AttentionMask(visible, causal=False)


def windowed_mask(
    mask: AttentionMask, inputs: Inputs, window: int, num_cached: int = 0
) -> AttentionMask:
    """Say what positions look at that see `window` positions to each side, of what `mask` shows.

    So do the local layers of ModernBERT (Warner et al. 2024, 2.1.2; Beltagy et al. 2020).
    """
    num_keys = num_cached + inputs.ids.shape[1]
    if num_keys <= window + 1:
        return mask
    keys = torch.arange(num_keys, device=inputs.ids.device)
    away = keys - keys[num_cached:, None]  # (T, S)
    near = ((away <= 0) if mask.causal else (away <= window)) & (away >= -window)
    if mask.visible is None:
        return AttentionMask(near[None, None], causal=False)
    # A row of padding sees itself, as a softmax over nothing is not a number.
    return AttentionMask(mask.visible & near | (away == 0), causal=False)


class SelfAttention(nn.Module):
    """Each position becomes a mean of what it looks at.

    Args:
        dim: width; a multiple of `num_heads`.
        num_heads: means taken side by side.
        bias: whether the four maps have an additive part.
        rotary: rotates queries and keys, or None.
        dropout: share of the weights that is dropped in training.
    """

    def __init__(
        self, dim: int, num_heads: int, *, bias: bool, rotary: Rotary | None, dropout: float
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.rotary = rotary
        self.query_key_value = nn.Linear(dim, 3 * dim, bias=bias)
        self.output = nn.Linear(dim, dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        mask: AttentionMask,
        layer: int = 0,
        cache: KeyValueCache | None = None,
        num_queries: int | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the first `num_queries` positions of that."""
        query, key, value = self._heads(x, layer, cache, num_queries)
        visible = mask.visible
        if num_queries is not None and visible is not None and visible.shape[2] > 1:
            visible = visible[:, :, :num_queries]
        dropout = self.dropout if self.training else 0.0
        # Ours trains faster and, in bfloat16, infers faster; one query at a time is PyTorch's.
        halved = x.dtype == torch.bfloat16 and x.shape[1] > 1
        if x.device.type == "cpu" and not dropout and (torch.is_grad_enabled() or halved):
            mixed = cpu_attention(query, key, value, visible, causal=mask.causal)
        else:
            mixed = F.scaled_dot_product_attention(
                query, key, value, visible, dropout, is_causal=mask.causal
            )  # (B, H, T, D / H)
        return self.output(mixed.transpose(1, 2).flatten(2))

    def weights(self, x: Tensor, mask: AttentionMask) -> Tensor:
        """Return how much each position takes from each, (B, H, T, T); rows sum to 1."""
        query, key, _ = self._heads(x, 0, None, None)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        T = x.shape[1]
        if mask.causal:
            seen = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
            scores = scores.masked_fill(~seen, -math.inf)
        if mask.visible is not None:
            scores = scores.masked_fill(~mask.visible, -math.inf)
        return scores.softmax(-1)

    def _heads(
        self, x: Tensor, layer: int, cache: KeyValueCache | None, num_queries: int | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        if num_queries is None:
            query, key, value = self._split(self.query_key_value(x), 3)
        else:
            weight, bias, D = self.query_key_value.weight, self.query_key_value.bias, x.shape[2]
            query_bias, rest = (None, None) if bias is None else (bias[:D], bias[D:])
            (query,) = self._split(F.linear(x[:, :num_queries], weight[:D], query_bias), 1)
            key, value = self._split(F.linear(x, weight[D:], rest), 2)
        if self.rotary is not None:
            first = 0 if cache is None else cache.length
            query, key = self.rotary(query, first), self.rotary(key, first)
        if cache is not None:
            key, value = cache.extend(layer, key, value)
        return query, key, value

    def _split(self, x: Tensor, parts: int) -> tuple[Tensor, ...]:
        """Cut (B, T, parts * D) into (B, H, T, D / H) each."""
        B, T, width = x.shape
        heads = x.view(B, T, parts, self.num_heads, width // parts // self.num_heads)
        return heads.permute(2, 0, 3, 1, 4).unbind(0)
