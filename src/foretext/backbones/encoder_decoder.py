"""Two Transformers: one reads a source, the other writes a text that depends on it.

The Transformer of 2017 (Vaswani et al. 2017), T5 (Raffel et al. 2020) and BART (Lewis et al. 2020)
are settings of it. The encoder is a `Transformer` of its own, and a base for every task. The
decoder is one whose layers also look at the states of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.attention_backbone import draw_linear
from foretext.backbones.base import Backbone, States, TaskTraits
from foretext.backbones.neighbour_attention import attend_to_equals, residual_scale
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import Positions, TransformerConfig
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import Cache, KeyValueCache
from foretext.nn.cross_attention import CrossAttention
from foretext.nn.feed_forward import Activation
from foretext.nn.flops import Flops

__all__ = ["EncoderDecoder", "EncoderDecoderConfig"]


class EncoderDecoderConfig(TransformerConfig):
    """Shape of both towers; the defaults are those of Vaswani et al. 2017 in small."""

    num_layers: int = Field(4, ge=1)
    """Layers of the encoder."""
    num_decoder_layers: int | None = Field(None, ge=1)
    """Layers of the decoder; none: as many as the encoder has."""
    positions: Positions = "sinusoidal"
    """How a state knows its position; relative: a learned score for each distance, as in T5."""
    scale_embeddings: bool = True
    """Multiply token vectors by the root of their width (Vaswani et al. 2017, 3.4)."""
    num_segments: int = Field(0, ge=0)
    """Kinds of tokens in a row; 0: they are not distinguished."""
    norm_eps: float = Field(1e-5, gt=0)
    """Number that a norm adds to the variance."""
    embedding_norm: bool = False
    """Whether the sum of the embeddings has a norm."""
    activation: Activation = "relu"
    """Activation of the feed-forward part; some are gated."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Dropout of the embeddings and of each part's result."""

    @model_validator(mode="after")
    def _has_two_towers(self) -> EncoderDecoderConfig:
        if self.num_segments:
            raise ValueError("num_segments must be 0, as a source and its target are one text each")
        if self.share_layers and self.num_decoder_layers == 1:
            raise ValueError("share_layers would have no effect where num_decoder_layers = 1")
        return self

    @property
    def encoder(self) -> TransformerConfig:
        """The settings of the encoder."""
        return self._tower(self.num_layers)

    @property
    def decoder(self) -> TransformerConfig:
        """The settings of the decoder, but for its attention to the encoder."""
        return self._tower(self.num_decoder_layers or self.num_layers)

    def _tower(self, num_layers: int) -> TransformerConfig:
        values = {name: getattr(self, name) for name in TransformerConfig.model_fields}
        return TransformerConfig(**{**values, "num_layers": num_layers})


class EncoderDecoder(Backbone):
    """An encoder of the source and a decoder, whose states are those of the text.

    Args:
        config: the user's settings.
        vocab_size: V, tokens of the text.
        source_vocab_size: tokens of the source; None: they are the same, and share their vectors.
    """

    Config = EncoderDecoderConfig

    config: EncoderDecoderConfig
    visibilities: frozenset[Visibility] = frozenset({"causal"})
    has_attention = True
    reads_source = True
    task_traits = TaskTraits(gains_from_crf=False, default_dropout=0.1, tunes_layer_decay=True)

    def __init__(
        self, config: EncoderDecoderConfig, vocab_size: int, source_vocab_size: int | None = None
    ) -> None:
        super().__init__(config, vocab_size)
        self.source_vocab_size = source_vocab_size
        self.encoder = Transformer(config.encoder, source_vocab_size or vocab_size)
        self.decoder = Transformer(config.decoder, vocab_size, reads_source=True)
        _attend_to_equals(self.decoder)
        if source_vocab_size is None:
            self.decoder.embeddings.tokens = self.encoder.embeddings.tokens
        self.dim, self.num_layers = config.dim, self.decoder.num_layers
        self.stacks_layers = self.encoder.stacks_layers and self.decoder.stacks_layers
        self.max_length = self.usual_length = config.max_length
        if _begins_at_equals(self.decoder):  # it is small, and was pretrained without dropout
            self.task_traits = replace(self.task_traits, seeks_sentinels=True, default_dropout=None)

    def pair_bytes(self, itemsize: int) -> int:
        """Return what both towers hold for a pair of positions, where both texts are as long."""
        return self.encoder.pair_bytes(itemsize) + self.decoder.pair_bytes(itemsize)

    @classmethod
    def build(
        cls,
        config: Any,
        vocab_size: int,
        *,
        num_characters: int = 0,
        source_vocab_size: int | None = None,
    ) -> Self:
        """Return a randomly initialised backbone; `Backbone.build` describes the arguments."""
        return cls(config, vocab_size, source_vocab_size)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The size of the source's vocabulary, where it has one of its own."""
        size = self.source_vocab_size
        return {} if size is None else {"source_vocab_size": size}

    @property
    def embedding(self) -> nn.Parameter:
        """The vectors of the text's tokens, (V, E); of the source's too, if they are the same."""
        return self.decoder.embedding

    @property
    def depth(self) -> int:
        """How many layers compute for a row: those of both towers."""
        return self.encoder.num_layers + self.decoder.num_layers

    @property
    def for_tasks(self) -> Transformer:
        """The encoder, which tasks read rows with."""
        return self.encoder

    def new_cache(self) -> KeyValueCache:
        """Return an empty cache of keys and values, of the text and of its source."""
        return KeyValueCache()

    def encode(self, source: Inputs) -> Tensor:
        """Return the states of a source text, (B, S, D), which `Inputs.memory` can hold."""
        return self.encoder(source).last

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T) that follow a source.

        The first read of a cache needs the source or its states; later ones need neither.
        """
        keys = cast(KeyValueCache | None, cache)
        is_known = keys is not None and keys.source.mask is not None
        inputs = inputs if is_known else self._with_memory(inputs)
        return cast(States, self.decoder(inputs, keep_layers=keep_layers, cache=cache))

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer of the decoder, its attention to its own text, (B, H, T, T)."""
        return self.decoder.attention_maps(self._with_memory(inputs))

    def cross_attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer of the decoder, its attention to the source, (B, H, T, S)."""
        return self.decoder.cross_attention_maps(self._with_memory(inputs))

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, then the encoder's, then the decoder's.

        So freezing as many layers as the encoder has freezes the encoder.
        """
        tower, _, name = parameter_name.partition(".")
        if tower == "encoder":
            return self.encoder.layer_of(name)
        layer = self.decoder.layer_of(name)
        return layer and layer + self.encoder.num_layers

    def use_layers(self, num: int) -> None:
        """From now on compute `num` layers of the decoder, and the same share of the encoder."""
        self.encoder.use_layers(self._num_encoder_layers(num))
        self.decoder.use_layers(num)

    def stacked_weights(self, num: int) -> dict[str, str]:
        """Return the weights above the first layers of both, and those that they begin with."""
        return {
            f"{name}.{weight}": f"{name}.{source}"
            for name, tower, below in (
                ("encoder", self.encoder, self._num_encoder_layers(num)),
                ("decoder", self.decoder, num),
            )
            for weight, source in tower.stacked_weights(below).items()
        }

    def _num_encoder_layers(self, num: int) -> int:
        """Return how many layers of the encoder go with so many of the decoder."""
        return -(-self.encoder.num_layers * num // self.num_layers)

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each."""
        return {
            f"{name}.{weight}": count
            for name, tower in (("encoder", self.encoder), ("decoder", self.decoder))
            for weight, count in tower.matrices_for_muon().items()
        }

    def flops(self) -> Flops:
        """Return the operations of a training step, with the layers frozen that are so now."""
        source, own = self.encoder.flops(), self.decoder.flops()
        return own._replace(
            per_source_token=own.per_source_token + source.per_token,
            per_source_pair=source.per_pair,
        )

    def recompute_layers(self) -> None:
        """From now on compute layers again in the backward pass, to save memory."""
        self.encoder.recompute_layers()
        self.decoder.recompute_layers()

    def initialise_head(self, layer: nn.Linear) -> None:
        """Draw the weights of a layer on the states, as the encoder's tasks do."""
        self.encoder.initialise_head(layer)

    def redraw_cross_attention(self) -> None:
        """Draw the weights of cross-attention as those of a new decoder; norms stay."""
        decoder = self.decoder
        with torch.no_grad():
            for attention in _cross_attentions(decoder):
                for layer in attention.query, attention.key_value, attention.output:
                    draw_linear(layer, decoder.config.init_std)
                if decoder.config.norm_position == "pre":
                    attention.output.weight.mul_(residual_scale(3, decoder.num_layers))
        _attend_to_equals(decoder)

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return the learning rate of its encoder; that of random weights where it has some."""
        learned = pretrained and not self.task_traits.seeks_sentinels
        return self.encoder.fine_tuning_defaults(pretrained=learned)

    @staticmethod
    def settings_for_rows(config: EncoderDecoderConfig, row_length: int) -> Mapping[str, Any]:
        """Return the length of learned positions: those that no row reaches are not learned."""
        return Transformer.settings_for_rows(config, row_length)

    def _with_memory(self, inputs: Inputs) -> Inputs:
        """Return the inputs with the states of their source."""
        if inputs.memory is not None:
            return inputs
        assert inputs.source is not None, "there is no source to be read"
        return replace(inputs, memory=self.encode(inputs.source))


def _begins_at_equals(decoder: Transformer) -> bool:
    """Whether its first weights look for tokens of the source that are like its own."""
    return decoder.relative is not None and decoder.config.first_attention == "neighbours"


def _attend_to_equals(decoder: Transformer) -> None:
    if _begins_at_equals(decoder):
        for attention in _cross_attentions(decoder):
            attend_to_equals(attention, decoder.config.init_std)


def _cross_attentions(decoder: Transformer) -> Iterator[CrossAttention]:
    """Yield those with weights of their own."""
    for block in decoder.layers[: len(decoder.blocks)]:
        assert block.cross is not None
        yield block.cross.attention
