"""A Transformer whose layers also look at a source text (Vaswani et al. 2017, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from foretext.backbones.attention_backbone import draw_linear
from foretext.backbones.neighbour_attention import (
    DISTANCES_BEFORE,
    attend_to_equals,
    residual_scale,
)
from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs, Visibility
from foretext.nn.attention import Layout, Source
from foretext.nn.block import Block, CrossPart
from foretext.nn.cache import KeyValueCache
from foretext.nn.cross_attention import CrossAttention, source_mask
from foretext.nn.flops import Flops, matrix_flops, num_passes

__all__ = ["TransformerDecoder"]


class TransformerDecoder(Transformer):
    """The decoder of an encoder-decoder: it reads `Inputs.memory`, the states of the source.

    Args:
        config: its settings; the states of the source are as wide as its own.
        vocab_size: tokens.
    """

    visibilities: frozenset[Visibility] = frozenset({"causal"})
    near = DISTANCES_BEFORE
    reads_source = True
    unpads = False

    def flops(self) -> Flops:
        """Return the operations of a training step; a source's keys count as tokens of it."""
        own, of_keys, of_pairs = super().flops(), 0, 0
        for block in self.layers:
            assert block.cross is not None
            attention = block.cross.attention
            of_keys += matrix_flops(attention.key_value)
            of_pairs += 4 * attention.width * num_passes(attention)
        return Flops(
            own.per_token - of_keys, own.per_pair, per_source_token=of_keys, per_cross_pair=of_pairs
        )

    def cross_attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the weights of the source's positions, (B, H, T, S)."""
        layouts = self._layouts(inputs, None, self.embedding.dtype)
        layers = self.forward(inputs, keep_layers=True).layers
        return tuple(
            block.cross_weights(x, layout)
            for block, x, layout in zip(self.layers, layers, layouts, strict=False)
            # the last of the states feeds no block
        )

    @property
    def begins_at_equals(self) -> bool:
        """Whether its first weights look for tokens of the source that are like its own."""
        return self.relative is not None and self.config.first_attention == "neighbours"

    def redraw_cross_attention(self) -> None:
        """Draw the weights of cross-attention as those of a new decoder; norms stay."""
        with torch.no_grad():
            for attention in self._cross_attentions():
                for layer in attention.query, attention.key_value, attention.output:
                    draw_linear(layer, self.config.init_std)
                if self.config.norm_position == "pre":
                    attention.output.weight.mul_(residual_scale(3, self.num_layers))
        self._attend_to_equals()

    def _initialise(self) -> None:
        super()._initialise()
        self._attend_to_equals()

    def _attend_to_equals(self) -> None:
        if self.begins_at_equals:
            for attention in self._cross_attentions():
                attend_to_equals(attention, self.config.init_std)

    def _cross_attentions(self) -> Iterator[CrossAttention]:
        """Yield those with weights of their own."""
        for block in self.layers[: len(self.blocks)]:
            assert block.cross is not None
            yield block.cross.attention

    def _layouts(
        self, inputs: Inputs, cache: KeyValueCache | None, dtype: torch.dtype
    ) -> list[Layout]:
        """Return how positions relate to each other and to the source in each layer."""
        layouts = super()._layouts(inputs, cache, dtype)
        source = _source(inputs, cache)
        return [layout._replace(source=source) for layout in layouts]

    def _block(self, layer: int) -> Block:
        config, block = self.config, super()._block(layer)
        attention = CrossAttention(
            config.dim,
            config.dim,
            config.num_heads,
            bias=config.bias,
            dropout=config.attention_dropout,
            scale=None if config.scale_scores else 1.0,
            head_dim=config.head_dim,
        )
        block.cross = CrossPart(attention, self._norm())
        return block


def _source(inputs: Inputs, cache: KeyValueCache | None) -> Source:
    """Return what is read of a source: its states, unless a cache has its keys already."""
    if cache is not None and cache.source.mask is not None:
        return Source(None, cache.source.mask)
    assert inputs.memory is not None, "the source's states are not known"
    mask = source_mask(None if inputs.source is None else inputs.source.token_mask)
    if cache is not None:
        cache.source.mask = mask
    return Source(inputs.memory, mask)
