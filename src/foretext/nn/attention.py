"""Multi-head attention (Vaswani et al. 2017, section 3.2).

What a position may look at comes from outside, as an `AttentionMask`. Scores are never held as a
whole: the work is done by PyTorch's fused attention or, where a CPU trains, by ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import KeyValueCache
from foretext.nn.cpu_attention import cpu_attention
from foretext.nn.parted_linear import PartedLinear
from foretext.nn.positions import Rotation
from foretext.nn.step_attention import can_step
from foretext.nn.team import has_kernels
from foretext.nn.unpadded import Unpadded

__all__ = ["Layout", "SelfAttention", "Source", "attend", "split_heads"]


class Source(NamedTuple):
    """Another text that positions look at."""

    memory: Tensor | None  # (B, S, E), its states; None: a cache has its keys and values
    mask: AttentionMask  # of its real tokens


class Layout(NamedTuple):
    """How the positions of a batch relate to each other in a layer."""

    mask: AttentionMask
    rotation: Rotation | None = None  # of queries and keys by their positions
    bias: Tensor | None = None  # (B or 1, H, T, S), added to the scores
    # (2 S - 1, D), vectors of the distances S - 1 to 1 - S, for disentangled attention
    distances: Tensor | None = None
    source: Source | None = None
    # Where the positions stand one after another without padding; all else is of them side by side
    unpadded: Unpadded | None = None


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: AttentionMask,
    bias: Tensor | None = None,
    scale: float | None = None,
    *,
    dropout: float = 0.0,
    continues: bool = False,
) -> Tensor:
    """Return, for each query, the mean of the values that it looks at, (B, H, T, d).

    Args:
        query: (B, H, T, d).
        key: (B, H, S, d).
        value: (B, H, S, d).
        mask: which keys a query may look at; the caller cuts `num_queries`.
        bias: (B or 1, H, T, S), added to the scaled scores; it may want a gradient.
        scale: of the scores; None: 1 / √d.
        dropout: share of the weights that is dropped; it costs the fast path on a CPU.
        continues: whether texts are continued by one position at a time.
    """
    # Ours trains faster and, in bfloat16, infers faster; continuing a text is PyTorch's.
    halved = query.dtype == torch.bfloat16 and not continues
    if has_kernels(query) and not dropout and (torch.is_grad_enabled() or halved):
        return cpu_attention(query, key, value, mask.visible, bias, causal=mask.causal, scale=scale)
    visible, causal = mask.visible, mask.causal
    if bias is not None:
        visible, causal = _masked_bias(bias.to(query.dtype), mask), False
    return F.scaled_dot_product_attention(
        query, key, value, visible, dropout, is_causal=causal, scale=scale
    )


def split_heads(x: Tensor, num_parts: int, num_heads: int) -> tuple[Tensor, ...]:
    """Cut (B, T, num_parts * D) into (B, H, T, D / H) each."""
    B, T, width = x.shape
    heads = x.view(B, T, num_parts, num_heads, width // num_parts // num_heads)
    return heads.permute(2, 0, 3, 1, 4).unbind(0)


class SelfAttention(nn.Module):
    """Each position becomes a mean of what it looks at.

    Args:
        dim: width.
        num_heads: means taken side by side.
        bias: whether the four maps have an additive part.
        dropout: share of the weights that is dropped in training.
        scale: of the scores; None: 1 / √d.
        head_dim: width of a head, d; None: dim / num_heads.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        bias: bool,
        dropout: float,
        scale: float | None = None,
        head_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.scale = scale
        self.width = num_heads * (head_dim or dim // num_heads)  # of all queries
        self.query_key_value = PartedLinear(dim, 3 * self.width, bias=bias)
        self.output = nn.Linear(self.width, dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        layout: Layout,
        layer: int = 0,
        cache: KeyValueCache | None = None,
        num_needed: int | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the first `num_needed` positions of that.

        Without padding, x is (1, N, D).
        """
        query, key, value = self._heads(x, layout, num_needed)
        if cache is not None and cache.scattered is not None and _steps(query, layout):
            mixed = cache.scattered.attend(
                layer, query, key, value, cache.length, layout.bias, self.scale
            )
            return self.output(mixed.transpose(1, 2).flatten(2))
        if cache is not None:
            key, value = cache.extend(layer, key, value)
        mask, bias = layout.mask, self.bias_of(query, key, layout)
        if num_needed is not None:
            mask, bias = _first_queries(mask, bias, num_needed)
        dropout = self.dropout if self.training else 0.0
        one = x.shape[1] == 1
        mixed = attend(query, key, value, mask, bias, self.scale, dropout=dropout, continues=one)
        mixed = mixed.transpose(1, 2).flatten(2)
        return self.output(mixed if layout.unpadded is None else layout.unpadded.joined(mixed))

    @torch.no_grad()
    def soften(self) -> None:
        """Make random queries so small that scores that are not scaled begin like scaled ones."""
        if self.scale is not None:
            width = self.width // self.num_heads
            self.query_key_value.weight[: self.width].mul_(width**-0.5 / self.scale)

    def weights(self, x: Tensor, layout: Layout) -> Tensor:
        """Return how much each position takes from each, (B, H, T, S); rows sum to 1."""
        query, key, _ = self._heads(x, layout, None)
        scores = query @ key.transpose(-1, -2)
        scores = scores / math.sqrt(query.shape[-1]) if self.scale is None else scores * self.scale
        bias = self.bias_of(query, key, layout)
        if bias is not None:
            scores = scores + bias
        visible = _visible(layout.mask, scores)
        return (scores if visible is None else scores.masked_fill(~visible, -math.inf)).softmax(-1)

    def bias_of(self, query: Tensor, key: Tensor, layout: Layout) -> Tensor | None:
        """Return what is added to the scaled scores of queries and keys, (B or 1, H, T, S)."""
        return layout.bias

    def _heads(
        self, x: Tensor, layout: Layout, num_needed: int | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries (B, H, T, D / H), keys and values (B, H, S, D / H)."""
        num_queries, H = layout.mask.num_queries, self.num_heads
        if num_needed is None and not num_queries:
            parts = self.query_key_value(x)
            whole = parts if layout.unpadded is None else layout.unpadded.apart(parts)
            query, key, value = split_heads(whole, 3, H)
        else:
            part, D = self.query_key_value.part, self.width
            keys = x[:, :-num_queries] if num_queries else x
            (query,) = split_heads(part(x[:, :num_needed], slice(D)), 1, H)
            key, value = split_heads(part(keys, slice(D, None)), 2, H)
        if layout.rotation is not None:
            query, key = layout.rotation.applied(query), layout.rotation.applied(key)
        return query, key, value


def _steps(query: Tensor, layout: Layout) -> bool:
    """Whether queries (B, H, T, d) are of one new position, which looks at all before it."""
    return layout.mask.visible is None and can_step(query, layout.bias)


def _first_queries(
    mask: AttentionMask, bias: Tensor | None, num_needed: int
) -> tuple[AttentionMask, Tensor | None]:
    if mask.visible is not None and mask.visible.shape[2] > 1:
        mask = mask._replace(visible=mask.visible[:, :, :num_needed])
    return mask, None if bias is None else bias[:, :, :num_needed]


def _visible(mask: AttentionMask, scores: Tensor) -> Tensor | None:
    """Return all that a mask says as one tensor, broadcast to scores (..., T, S)."""
    if not mask.causal:
        return mask.visible
    T, S = scores.shape[-2:]
    before = torch.ones(T, S, dtype=torch.bool, device=scores.device).tril()
    return before if mask.visible is None else before & mask.visible


def _masked_bias(bias: Tensor, mask: AttentionMask) -> Tensor:
    visible = _visible(mask, bias)
    return bias if visible is None else bias.masked_fill(~visible, -math.inf)
