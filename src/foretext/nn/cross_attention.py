"""Attention to another text: queries from a decoder, keys and values from an encoder's states."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from foretext.kernels.attention_softmax import HIDDEN
from foretext.nn.attention import attend, split_heads
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import CrossCache
from foretext.nn.step_attention import can_step, step_attention

__all__ = ["CrossAttention", "source_mask"]


class CrossAttention(nn.Module):
    """Each position becomes a mean of what it looks at in a source (Vaswani et al. 2017, 3.2.3).

    Args:
        dim: width.
        memory_dim: width of the source's states, E.
        num_heads: means taken side by side.
        bias: whether the four maps have an additive part.
        dropout: share of the weights that is dropped in training.
        scale: of the scores; None: 1 / √d.
        head_dim: width of a head, d; None: dim / num_heads.
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
        head_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.scale = scale
        self.width = num_heads * (head_dim or dim // num_heads)  # of all queries
        self.query = nn.Linear(dim, self.width, bias=bias)
        self.key_value = nn.Linear(memory_dim, 2 * self.width, bias=bias)
        self.output = nn.Linear(self.width, dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None,
        mask: AttentionMask,
        layer: int = 0,
        cache: CrossCache | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D).

        Args:
            x: states of the decoder.
            memory: (B, S, E), the source's states; None: the cache has its keys.
            mask: from `source_mask`, of the sources that the cache has.
            layer: number of the layer, for the cache.
            cache: of keys and values of N sources; B / N rows of x that follow each other look at
                the same one.
        """
        (query,) = split_heads(self.query(x), 1, self.num_heads)
        rows = 1 if cache is None else cache.rows_per_source
        if cache is None:
            key, value = self.keys_and_values(memory)
        else:
            key, value = cache.of(layer, lambda: self._by_position(memory))
            key, value = key.transpose(1, 2), value.transpose(1, 2)
            if can_step(query):
                mixed = _one_position(query, key, value, mask, rows, self.scale)
                return self.output(mixed.transpose(1, 2).flatten(2))
        dropout = self.dropout if self.training else 0.0
        mixed = attend(
            _joined(query, rows),
            key,
            value,
            mask,
            None,
            self.scale,
            dropout=dropout,
            continues=x.shape[1] == 1,
        )
        return self.output(_parted(mixed, rows).transpose(1, 2).flatten(2))

    def weights(self, x: Tensor, memory: Tensor, mask: AttentionMask) -> Tensor:
        """Return how much each position takes from each of the source's, (B, H, T, S)."""
        (query,) = split_heads(self.query(x), 1, self.num_heads)
        key, _ = self.keys_and_values(memory)
        scale = query.shape[-1] ** -0.5 if self.scale is None else self.scale
        scores = query @ key.mT * scale
        hidden = None if mask.visible is None else ~mask.visible
        return (scores if hidden is None else scores.masked_fill(hidden, -math.inf)).softmax(-1)

    def keys_and_values(self, memory: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return keys and values (B, H, S, D / H) of the source's states (B, S, E)."""
        assert memory is not None, "the source was never read"
        key, value = split_heads(self.key_value(memory), 2, self.num_heads)
        return key, value

    def _by_position(self, memory: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return keys and values as a cache has them, (B, S, H, D / H)."""
        key, value = self.keys_and_values(memory)
        return key.transpose(1, 2).contiguous(), value.transpose(1, 2).contiguous()


def _one_position(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: AttentionMask,
    rows: int,
    scale: float | None,
) -> Tensor:
    """Attend from one position, (B, H, 1, d), where `rows` rows look at each of the N sources."""
    sources = torch.arange(len(query)) // rows
    hiding = None if mask.visible is None else torch.where(mask.visible, 0.0, HIDDEN)
    keys, values = key.transpose(1, 2), value.transpose(1, 2)
    return step_attention(query, keys, values, sources, keys.shape[1], hiding, scale)


def _joined(query: Tensor, rows: int) -> Tensor:
    """Put the queries of rows that share a source side by side: (B, H, T, d) as (N, H, K T, d)."""
    if rows == 1:
        return query
    _, H, T, d = query.shape
    return query.view(-1, rows, H, T, d).transpose(1, 2).reshape(-1, H, rows * T, d)


def _parted(mixed: Tensor, rows: int) -> Tensor:
    """Turn (N, H, K T, d) back into (B, H, T, d)."""
    if rows == 1:
        return mixed
    N, H, width, d = mixed.shape
    parts = mixed.view(N, H, rows, width // rows, d).transpose(1, 2)
    return parts.reshape(N * rows, H, width // rows, d)


def source_mask(token_mask: Tensor | None) -> AttentionMask:
    """Return the mask of a source's real tokens, `token_mask` (B, S) bool; None: all are."""
    return AttentionMask(None if token_mask is None else token_mask[:, None, None, :])
