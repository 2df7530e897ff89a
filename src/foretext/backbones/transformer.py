"""The Transformer (Vaswani et al. 2017): BERT, GPT and their later forms by settings.

The batch says what a position may look at, so the encoder of BERT and the decoder of GPT are one
class. The settings cover what Hugging Face calls BERT, GPT-2, ModernBERT and Llama. By option its
layers also look at the states of a source text (section 3.1): the decoder of an `EncoderDecoder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from foretext.backbones.attention_backbone import ATTENTION_TRAITS, AttentionBackbone
from foretext.backbones.base import Segmented, States
from foretext.backbones.embeddings import Embeddings, where
from foretext.backbones.neighbour_attention import (
    DISTANCES,
    DISTANCES_BEFORE,
    NEAR_SCORE,
    attend_to_neighbours,
    shrink_residuals,
)
from foretext.backbones.transformer_config import TransformerConfig
from foretext.data.batch import Inputs, Visibility
from foretext.nn.attention import Layout, SelfAttention, Source
from foretext.nn.attention_mask import attention_mask, windowed_mask
from foretext.nn.block import Block, CrossPart
from foretext.nn.cache import Cache, KeyValueCache
from foretext.nn.cross_attention import CrossAttention, source_mask
from foretext.nn.feed_forward import Activation, FeedForward
from foretext.nn.flops import Flops, matrix_flops, num_passes
from foretext.nn.norm import make_norm
from foretext.nn.pooling import Pooling
from foretext.nn.positions import Rotary, Rotation
from foretext.nn.relative_buckets import RelativeBuckets
from foretext.nn.unpadded import Unpadded
from foretext.nn.vocabulary_head import HeadTransform

__all__ = ["Transformer"]


class Transformer(AttentionBackbone):
    """Embeddings, then layers of attention and feed-forward.

    Args:
        config: the user's settings.
        vocab_size: tokens.
        reads_source: whether its layers also look at `Inputs.memory`, the states of a source, which
            are as wide as its own; it is then causal.
    """

    Config = TransformerConfig

    config: TransformerConfig
    visibilities: frozenset[Visibility] = frozenset({"full", "causal", "matrix"})
    unpads = True
    is_graph = True

    def __init__(
        self, config: TransformerConfig, vocab_size: int, *, reads_source: bool = False
    ) -> None:
        super().__init__(config, vocab_size)
        self.reads_source = reads_source
        if reads_source:
            self.visibilities = frozenset({"causal"})
        self.dim, self.num_layers = config.dim, config.num_layers
        self.max_length = self.usual_length = config.max_length
        self.num_segments = config.num_segments
        self.task_traits = replace(
            ATTENTION_TRAITS,
            adds_head_transform=config.norm_position == "pre",
            pooler_activation=config.pooler_activation,
        )
        self.embeddings = Embeddings(config, vocab_size)
        self.rotary = self._rotary(config.rotary_base)
        self.local_rotary = self._rotary(config.local_rotary_base)
        self.relative = self._relative()
        self.stacks_layers = not config.share_layers
        num_blocks = 1 if config.share_layers else config.num_layers
        self.blocks = nn.ModuleList(self._block(layer) for layer in range(num_blocks))
        pre_norm = config.norm_position == "pre"
        self.final_norm = self._norm() if pre_norm else nn.Identity()
        self._initialise()

    @property
    def embedding(self) -> nn.Parameter:
        """The token vectors, (V, E)."""
        return cast(nn.Parameter, self.embeddings.tokens.weight)

    @property
    def segmented(self) -> Segmented:
        """The embeddings, among them those of segments."""
        return self.embeddings

    @property
    def layers(self) -> list[Block]:
        """The block of each layer that computes, the first one first.

        With `share_layers` they are the same ones.
        """
        blocks = [cast(Block, block) for block in self.used_blocks]
        return blocks * self.num_layers if self.config.share_layers else blocks

    def new_cache(self) -> KeyValueCache:
        """Return an empty cache of keys and values."""
        return KeyValueCache()

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T), T ≤ max_length.

        If only the first position is needed, the last layer computes no other.
        """
        keys = cast(KeyValueCache | None, cache)
        num_cached = 0 if keys is None else keys.length
        x = self.embeddings(inputs, num_cached)
        only_first = inputs.needed == "first" and inputs.visibility == "full" and keys is None
        layouts = self._layouts(inputs, keys, x.dtype)
        unpadded = None if only_first or keep_layers else self._unpadded(inputs, keys)
        if unpadded is not None:
            x = unpadded.joined(x)
            layouts = [layout._replace(unpadded=unpadded) for layout in layouts]
        layers, blocks = [x], self.layers
        for layer, block in enumerate(blocks):
            is_last = layer == len(blocks) - 1
            num_needed = 1 if is_last and only_first and not keep_layers else None
            if self.checkpointing and self.training:
                x = checkpoint(
                    block, x, layouts[layer], layer, None, num_needed, use_reentrant=False
                )
            else:
                x = block(x, layouts[layer], layer, keys, num_needed)
            if keep_layers:
                layers.append(x)
        if keys is not None:
            keys.advance(inputs.ids.shape[1])
        x = self.final_norm(x)
        last = x if unpadded is None else unpadded.apart(x)
        return States(last, tuple(layers) if keep_layers else ())

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the attention weights, (B, H, T, S)."""
        layouts = self._layouts(inputs, None, self.embedding.dtype)
        layers = self.forward(inputs, keep_layers=True).layers
        return tuple(
            block.attention.weights(block.attended(x), layout)
            for block, x, layout in zip(self.layers, layers, layouts, strict=False)
            # the last of the states feeds no block
        )

    def cross_attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the weights of the source's positions, (B, H, T, S)."""
        if not self.reads_source:
            return super().cross_attention_maps(inputs)
        layouts = self._layouts(inputs, None, self.embedding.dtype)
        layers = self.forward(inputs, keep_layers=True).layers
        return tuple(
            block.cross_weights(x, layout)
            for block, x, layout in zip(self.layers, layers, layouts, strict=False)
            # the last of the states feeds no block
        )

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, 1 = the first layer, and so on.

        Layers that share their weights are one layer.
        """
        if parameter_name.startswith(("embeddings.", "relative.")):
            return 0
        return min(super().layer_of(parameter_name), len(self.blocks))

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each."""
        counts = super().matrices_for_muon()
        for layer, block in enumerate(self.layers[: len(self.blocks)]):
            counts[f"blocks.{layer}.attention.query_key_value.weight"] = 3
            if block.cross is not None:
                counts[f"blocks.{layer}.cross.attention.key_value.weight"] = 2
            if block.feed_forward.gated:  # a gate and what it gates
                counts[f"blocks.{layer}.feed_forward.inner.weight"] = 2
        return counts

    def narrower(self, rate: float, num_layers: int | None = None) -> Transformer:
        """Return one with random weights, `rate` times as wide, with as many heads."""
        return Transformer(self.config.narrowed(rate, num_layers), self.vocab_size)

    def flops(self) -> Flops:
        """Return the operations of a training step, with the layers frozen that are so now.

        The keys of a source count as tokens of it.
        """
        projection = self.embeddings.projection
        widening = 0 if projection is None else matrix_flops(projection)
        cross = [block.cross.attention for block in self.layers if block.cross is not None]
        of_keys = sum(matrix_flops(attention.key_value) for attention in cross)
        return Flops(
            per_token=widening + sum(matrix_flops(block) for block in self.layers) - of_keys,
            per_pair=sum(4 * block.attention.width * num_passes(block) for block in self.layers),
            per_source_token=of_keys,
            per_cross_pair=sum(4 * each.width * num_passes(each) for each in cross),
        )

    def default_pooling(
        self, visibility: Visibility, *, has_pooler: bool, siamese: bool = False
    ) -> Pooling:
        """Return how the authors of GPT, BERT and Sentence-BERT pool.

        The first position of a masked language model represents the text only if the next sentence
        was predicted from it; otherwise the mean over all positions is better.
        """
        if siamese:
            return "mean"
        if visibility == "causal":
            return "last"
        return "cls" if has_pooler else "mean"

    def head_transform(self, activation: Activation) -> HeadTransform:
        """Return a linear map, activation and norm to stand between states and a task's last layer.

        Its norm and bias are of the kind that the layers have.
        """
        config = self.config
        return HeadTransform(
            self.dim, activation, config.norm, eps=config.norm_eps, bias=config.bias
        )

    @staticmethod
    def settings_for_rows(config: TransformerConfig, row_length: int) -> Mapping[str, Any]:
        """Return the length of learned positions: those that no row reaches are not learned."""
        return {"max_length": row_length} if config.positions == "learned" else {}

    def _is_global(self, layer: int) -> bool:
        return layer % self.config.global_every == 0

    def _layouts(
        self, inputs: Inputs, cache: KeyValueCache | None, dtype: torch.dtype
    ) -> list[Layout]:
        """Return how positions relate to each other, and to a source, in each layer."""
        num_cached = 0 if cache is None else cache.length
        mask, positions = attention_mask(inputs, num_cached), where(inputs, num_cached)
        bias = self._distance_scores(inputs, num_cached)
        source = _source(inputs, cache) if self.reads_source else None
        whole = near = Layout(mask, _rotation(self.rotary, positions, dtype), bias, source=source)
        if self.config.global_every > 1:
            mask = windowed_mask(mask, inputs, self.config.local_window, num_cached)
            rotation = _rotation(self.local_rotary, positions, dtype)
            near = Layout(mask, rotation, bias, source=source)
        return [whole if self._is_global(layer) else near for layer in range(self.num_layers)]

    def _unpadded(self, inputs: Inputs, cache: KeyValueCache | None) -> Unpadded | None:
        """Return the positions without padding, where a network that infers is faster so."""
        if self.training or cache is not None or self.reads_source or inputs.num_queries:
            return None
        return Unpadded.of(inputs.token_mask, self.dim)

    def _rotary(self, base: float) -> Rotary | None:
        config = self.config
        if config.positions != "rotary":
            return None
        return Rotary(config.head_width, config.max_length, base)

    def _relative(self) -> RelativeBuckets | None:
        config = self.config
        if config.positions != "relative":
            return None
        return RelativeBuckets(
            config.num_heads,
            config.num_buckets,
            config.max_distance,
            config.max_length,
            both_sides=self.visibilities != {"causal"},
        )

    def _distance_scores(self, inputs: Inputs, num_cached: int) -> Tensor | None:
        """Return what relative positions add to the scores of all layers, (B or 1, H, T, S)."""
        if self.relative is None:
            return None
        T = inputs.ids.shape[1]
        num_keys = num_cached + T - inputs.num_queries
        if inputs.positions is None:
            return self.relative(T, num_keys, num_cached)
        assert not num_cached, "a cache does not know the positions of its keys"
        return self.relative.of_positions(inputs.positions, num_keys)

    def _block(self, layer: int) -> Block:
        config = self.config
        attention = SelfAttention(config.dim, config.num_heads, **self._attention_options)
        feed_forward = FeedForward(
            config.dim,
            config.hidden_dim,
            config.activation,
            bias=config.bias,
            dropout=config.feed_forward_dropout,
        )
        normed = config.first_norm or layer > 0
        block = Block(
            attention,
            feed_forward,
            self._norm() if normed else nn.Identity(),
            self._norm(),
            norm_position=config.norm_position,
            dropout=config.dropout,
        )
        if self.reads_source:
            block.cross = CrossPart(self._cross_attention(), self._norm())
        return block

    def _cross_attention(self) -> CrossAttention:
        config = self.config
        return CrossAttention(config.dim, config.dim, config.num_heads, **self._attention_options)

    @property
    def _attention_options(self) -> dict[str, Any]:
        """What attention to the text and to a source have in common."""
        config = self.config
        return {
            "bias": config.bias,
            "dropout": config.attention_dropout,
            "scale": None if config.scale_scores else 1.0,
            "head_dim": config.head_dim,
        }

    def _norm(self) -> nn.Module:
        config = self.config
        return make_norm(config.norm, config.dim, eps=config.norm_eps, bias=config.bias)

    @property
    def _near(self) -> Sequence[int]:
        """The distances that untrained heads look at, by option."""
        return DISTANCES_BEFORE if self.reads_source else DISTANCES[0]

    def _initialise(self) -> None:
        """Draw weights from N(0, init_std²); biases become zero.

        With pre-norm, what is added to the residual stream starts smaller, so that the stream's
        scale does not grow with depth (Radford et al. 2019, section 2.3).
        """
        self.draw_weights(self.config.init_std)
        if self.config.token_std is not None:
            nn.init.normal_(self.embedding, std=self.config.token_std)
        blocks = self.layers[: len(self.blocks)]
        has_positions = self.embeddings.positions is not None
        neighbours = has_positions and self.config.first_attention == "neighbours"
        if neighbours or self.config.norm_position == "pre":
            shrink_residuals(blocks, self.num_layers)
        if neighbours:
            attend_to_neighbours(self.embeddings, blocks, self.config.init_std)
        if self.relative is not None and self.config.first_attention == "neighbours":
            self.relative.prefer(self._near, NEAR_SCORE)
            for block in blocks:
                block.attention.soften()


def _rotation(
    rotary: Rotary | None, positions: slice | Tensor, dtype: torch.dtype
) -> Rotation | None:
    return None if rotary is None else rotary(positions, dtype)


def _source(inputs: Inputs, cache: KeyValueCache | None) -> Source:
    """Return what is read of a source: its states, unless a cache has its keys already."""
    if cache is not None and cache.source.mask is not None:
        return Source(None, cache.source.mask)
    assert inputs.memory is not None, "the source's states are not known"
    mask = source_mask(None if inputs.source is None else inputs.source.token_mask)
    if cache is not None:
        cache.source.mask = mask
    return Source(inputs.memory, mask)
