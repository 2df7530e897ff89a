"""One layer of a Transformer: attention and a feed-forward part, each added to its input.

Post-norm is x = norm(x + part(x)) (Vaswani et al. 2017); pre-norm is x = x + part(norm(x)), which
trains without a warm-up (Xiong et al. 2020).
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from foretext.nn.attention import Layout, SelfAttention
from foretext.nn.cache import KeyValueCache
from foretext.nn.cross_attention import CrossAttention
from foretext.nn.dropout import Dropout
from foretext.nn.feed_forward import FeedForward

__all__ = ["Block", "CrossPart", "NormPosition"]

NormPosition = Literal["post", "pre"]


class CrossPart(nn.Module):
    """Attention to a source, and its norm.

    Args:
        attention: to the states of the source.
        norm: before or after it, as the block's other norms.
    """

    def __init__(self, attention: CrossAttention, norm: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.norm = norm


class Block(nn.Module):
    """Attention, then feed-forward.

    Args:
        attention: of this layer.
        feed_forward: of this layer.
        attention_norm: before or after the attention.
        feed_forward_norm: before or after the feed-forward part.
        norm_position: which of the two.
        dropout: share of each part's result that is dropped in training, before it is added.
        cross: attention to a source, between the two; None: there is no source.
    """

    def __init__(
        self,
        attention: SelfAttention,
        feed_forward: FeedForward,
        attention_norm: nn.Module,
        feed_forward_norm: nn.Module,
        *,
        norm_position: NormPosition,
        dropout: float,
        cross: CrossPart | None = None,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.cross = cross
        self.feed_forward = feed_forward
        self.attention_norm = attention_norm
        self.feed_forward_norm = feed_forward_norm
        self.pre_norm = norm_position == "pre"
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        layout: Layout,
        layer: int = 0,
        cache: KeyValueCache | None = None,
        num_needed: int | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the first `num_needed` positions of that."""
        mixed = self.dropout(self.attention(self.attended(x), layout, layer, cache, num_needed))
        x = x[:, :num_needed] + mixed
        if not self.pre_norm:
            x = self.attention_norm(x)
        if self.cross is not None:
            x = self._crossed(x, self.cross, layout, layer, cache)
        if self.pre_norm:
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))

    def _crossed(
        self,
        x: Tensor,
        cross: CrossPart,
        layout: Layout,
        layer: int,
        cache: KeyValueCache | None,
    ) -> Tensor:
        """Add what the positions take from the source."""
        assert layout.source is not None, "a block with attention to a source needs one"
        keys = None if cache is None else cache.source
        asking = cross.norm(x) if self.pre_norm else x
        x = x + self.dropout(cross.attention(asking, *layout.source, layer, keys))
        return x if self.pre_norm else cross.norm(x)

    def cross_weights(self, x: Tensor, layout: Layout) -> Tensor:
        """Return how much the positions of x (B, T, D) take from the source's, (B, H, T, S)."""
        assert self.cross is not None, "the block has no attention to a source"
        assert layout.source is not None, "there is no source"
        memory, mask = layout.source
        assert memory is not None, "the source's states are not known"
        x = x + self.attention(self.attended(x), layout)
        asking = self.cross.norm(x) if self.pre_norm else self.attention_norm(x)
        return self.cross.attention.weights(asking, memory, mask)

    def attended(self, x: Tensor) -> Tensor:
        """Return the attention's input for the block's input x, (B, T, D)."""
        return self.attention_norm(x) if self.pre_norm else x
