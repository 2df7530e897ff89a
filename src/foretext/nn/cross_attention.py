"""Attention to another text: queries from a decoder, keys and values from an encoder's states."""

from __future__ import annotations

from torch import Tensor, nn

from foretext.nn.attention import attend, split_heads
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import CrossCache

__all__ = ["CrossAttention", "source_mask"]


class CrossAttention(nn.Module):
    """Each position becomes a mean of what it looks at in a source (Vaswani et al. 2017, 3.2.3).

    Args:
        dim: width; a multiple of `num_heads`.
        memory_dim: width of the source's states, E.
        num_heads: means taken side by side.
        bias: whether the four maps have an additive part.
        dropout: share of the weights that is dropped in training.
        scale: of the scores; None: 1 / √d.
    """

    def __init__(
        self,
        dim: int,
        memory_dim: int,
        num_heads: int,
        *,
        bias: bool,
        dropout: float,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.scale = scale
        self.query = nn.Linear(dim, dim, bias=bias)
        self.key_value = nn.Linear(memory_dim, 2 * dim, bias=bias)
        self.output = nn.Linear(dim, dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: AttentionMask,
        layer: int = 0,
        cache: CrossCache | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D).

        Args:
            x: states of the decoder.
            memory: (B, S, E), the source's states; not read where the cache has its keys.
            mask: from `source_mask`.
            layer: number of the layer, for the cache.
            cache: of keys and values; their rows are those of x.
        """
        (query,) = split_heads(self.query(x), 1, self.num_heads)
        if cache is None:
            key, value = self.keys_and_values(memory)
        else:
            key, value = cache.of(layer, lambda: self.keys_and_values(memory))
        dropout = self.dropout if self.training else 0.0
        one = x.shape[1] == 1
        mixed = attend(query, key, value, mask, None, self.scale, dropout=dropout, continues=one)
        return self.output(mixed.transpose(1, 2).flatten(2))

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys and values (B, H, S, D / H) of the source's states (B, S, E)."""
        key, value = split_heads(self.key_value(memory), 2, self.num_heads)
        return key, value


def source_mask(token_mask: Tensor | None) -> AttentionMask:
    """Return the mask of a source's real tokens, `token_mask` (B, S) bool; None: all are."""
    return AttentionMask(None if token_mask is None else token_mask[:, None, None, :])
