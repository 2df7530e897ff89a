"""One layer of a Transformer: attention and a feed-forward part, each added to its input.

Post-norm is x = norm(x + part(x)) (Vaswani et al. 2017); pre-norm is x = x + part(norm(x)), which
trains without a warm-up (Xiong et al. 2020).
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from foretext.nn.attention import Layout, SelfAttention
from foretext.nn.cache import KeyValueCache
from foretext.nn.dropout import Dropout
from foretext.nn.feed_forward import FeedForward

__all__ = ["Block", "NormPosition"]

NormPosition = Literal["post", "pre"]


class Block(nn.Module):
    """Attention, then feed-forward.

    Args:
        attention: of this layer.
        feed_forward: of this layer.
        attention_norm: before or after the attention.
        feed_forward_norm: before or after the feed-forward part.
        norm_position: which of the two.
        dropout: share of each part's result that is dropped in training, before it is added.
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
    ) -> None:
        super().__init__()
        self.attention = attention
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
        if self.pre_norm:
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(x)
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))

    def attended(self, x: Tensor) -> Tensor:
        """Return the attention's input for the block's input x, (B, T, D)."""
        return self.attention_norm(x) if self.pre_norm else x
