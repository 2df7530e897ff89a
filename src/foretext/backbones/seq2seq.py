"""Recurrent sequence-to-sequence with attention (Bahdanau et al. 2015; Luong et al. 2015).

An encoder of GRUs or LSTMs reads the source, a decoder writes the text and looks at the encoder's
states. The encoder is a `Recurrent` network, and a base for every task. Without attention the
decoder knows of the source what its readers end with (Cho et al. 2014; Sutskever et al. 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, cast

from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States, layer_of_block
from foretext.backbones.recurrent import Recurrent
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import Cache, CrossCache, RecurrentCache
from foretext.nn.cross_attention import source_mask
from foretext.nn.recurrent import RecurrentLayer
from foretext.nn.recurrent_decoder import Context, Memory, RecurrentDecoder
from foretext.nn.source_attention import ScoreKind, SourceAttention
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["Seq2Seq", "Seq2SeqConfig"]


class Seq2SeqConfig(Config):
    """Shape of a recurrent encoder and decoder with attention."""

    kind: Literal["gru", "lstm"] = "gru"
    """Kind of the recurrent cells."""
    num_layers: int = Field(1, ge=1)
    """Recurrent layers of the encoder, and of the decoder."""
    dim: int = Field(256, ge=1)
    """Width of the decoder's states."""
    vector_size: int | None = Field(None, ge=1)
    """Numbers of a token's vector; none: dim, so that the output layer can share them."""
    encoder_dim: int | None = Field(None, ge=1)
    """Width of the state of each direction of the encoder; none: of all together dim."""
    bidirectional: bool = True
    """Whether the encoder reads in both directions."""
    attention: Literal["none"] | ScoreKind = "additive"
    """Score of a state of the source: additive (Bahdanau), general or dot (Luong); none: unread."""
    context: Context = "every_step"
    """Without attention: read the end of the source at every step (Cho), or first (Sutskever)."""
    attention_dim: int | None = Field(None, ge=1)
    """Width within additive scores; none: dim."""
    input_feeding: bool = False
    """Let each position read what the one before it took from the source; slower."""
    dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout of token vectors, between layers, and of the last states."""

    @model_validator(mode="after")
    def _goes_together(self) -> Seq2SeqConfig:
        if self.attention != "additive" and self.attention_dim is not None:
            raise ValueError(
                f"attention_dim would have no effect with attention = '{self.attention}'"
            )
        if self.attention == "none" and self.input_feeding:
            raise ValueError(
                "input_feeding would have no effect with attention = 'none', as every position "
                "takes the same from the source"
            )
        if self.attention != "none" and "context" in self.changed:
            raise ValueError(f"context would have no effect with attention = '{self.attention}'")
        if self.bidirectional and self.encoder_dim is None and self.dim % 2:
            raise ValueError(
                f"dim = {self.dim} must be even, for each direction of the encoder has half of it; "
                "or set encoder_dim"
            )
        if self.attention == "dot" and self.memory_dim != self.dim:
            raise ValueError(
                f"attention = 'dot' needs states of the source as wide as the decoder's, and they "
                f"have {self.memory_dim} and {self.dim} numbers; leave encoder_dim out, or take "
                "attention = 'general'"
            )
        return self

    @property
    def token_dim(self) -> int:
        """Numbers of a token's vector, E."""
        return self.vector_size or self.dim

    @property
    def direction_dim(self) -> int:
        """Width of the state of each direction of the encoder."""
        return self.encoder_dim or self.dim // (2 if self.bidirectional else 1)

    @property
    def memory_dim(self) -> int:
        """Width of a state of the source, M."""
        return self.direction_dim * (2 if self.bidirectional else 1)

    @property
    def read_dim(self) -> int:
        """Numbers that the first layer of the decoder reads at each step."""
        if self.input_feeding:
            return self.token_dim + self.dim
        repeats = self.attention == "none" and self.context == "every_step"
        return self.token_dim + (self.memory_dim if repeats else 0)

    @property
    def encoder(self) -> Recurrent.Config:
        """The settings of the encoder."""
        settings = {
            "kind": self.kind,
            "num_layers": self.num_layers,
            "dim": self.direction_dim,
            "vector_size": self.token_dim,
            "bidirectional": self.bidirectional,
            "dropout": self.dropout,
            "layer_dropout": self.dropout if self.num_layers > 1 else 0.0,
        }
        return Recurrent.Config.checked(settings, "backbone")


class Seq2Seq(Backbone):
    """A recurrent encoder of the source, and a decoder, whose states are those of the text.

    Args:
        config: the user's settings.
        vocab_size: V, tokens of the text.
        source_vocab_size: tokens of the source; None: they are the same, and share their vectors.
    """

    Config = Seq2SeqConfig

    config: Seq2SeqConfig
    visibilities: frozenset[Visibility] = frozenset({"causal"})
    reads_source = True
    can_be_shared_out = False  # cells keep lists of their weights

    def __init__(
        self, config: Seq2SeqConfig, vocab_size: int, source_vocab_size: int | None = None
    ) -> None:
        super().__init__(config, vocab_size)
        self.source_vocab_size = source_vocab_size
        self.dim, self.num_layers = config.dim, config.num_layers
        self.encoder = Recurrent(config.encoder, source_vocab_size or vocab_size)
        own = source_vocab_size is not None
        self.own_tokens = WordEmbedding(config.encoder, vocab_size) if own else None
        D, M = config.dim, config.memory_dim
        attention: SourceAttention | None = None
        if config.attention != "none":
            attention = SourceAttention(config.attention, D, M, config.attention_dim or D)
        self.decoder = RecurrentDecoder(
            [
                RecurrentLayer(config.kind, D if layer else config.read_dim, D, bidirectional=False)
                for layer in range(config.num_layers)
            ],
            attention,
            config.context,
            M,
            config.direction_dim,
            input_feeding=config.input_feeding,
            dropout=config.dropout,
        )

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
    def has_cross_attention(self) -> bool:
        """Whether the decoder looks at single states of the source."""
        return self.decoder.attention is not None

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The size of the source's vocabulary, where it has one of its own."""
        size = self.source_vocab_size
        return {} if size is None else {"source_vocab_size": size}

    @property
    def tokens(self) -> WordEmbedding:
        """The vectors of the text's tokens; of the source's too, if they are the same."""
        return self.encoder.tokens if self.own_tokens is None else self.own_tokens

    @property
    def embedding(self) -> nn.Parameter:
        """The vectors of the text's tokens, (V, E)."""
        return cast(nn.Parameter, self.tokens.vectors.weight)

    @property
    def for_tasks(self) -> Recurrent:
        """The encoder, which tasks read rows with."""
        return self.encoder

    @property
    def num_mixed(self) -> int:
        """How many layers tasks can mix: the embeddings too where they are as wide as states."""
        return self.num_layers + (self.tokens.dim == self.dim)

    def new_cache(self) -> RecurrentCache:
        """Return an empty cache of states, and of the source."""
        return RecurrentCache()

    def encode(self, source: Inputs) -> Tensor:
        """Return the states of a source text, (B, S, M), which `Inputs.memory` can hold."""
        return self.encoder(source).last

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T) that follow a source.

        The first read of a cache needs the source or its states; later ones need neither.
        """
        known = cast(RecurrentCache | None, cache)
        memory = self._memory(inputs, None if known is None else known.source)
        carried = () if known is None else known.states
        embedded = self.tokens(inputs)
        layers, carried, _ = self.decoder(embedded, memory, carried or self.decoder.started(memory))
        if known is not None:
            known.advance(inputs.ids.shape[1], carried)
        return States(layers[-1], (embedded, *layers) if keep_layers else ())

    def cross_attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return the only attention to the source, that behind the last layer, (B, 1, T, S).

        Raises:
            SettingError: it has none.
        """
        if not self.has_cross_attention:
            raise SettingError(
                "This sequence-to-sequence model has no attention (backbone.attention = 'none'), "
                "so there are no weights to look at; take 'additive', 'general' or 'dot'."
            )
        memory = self._memory(inputs)
        read = self.decoder(self.tokens(inputs), memory, self.decoder.started(memory))
        return (read.weights.unsqueeze(1),)

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, then the encoder's, then the decoder's.

        So freezing as many layers as the encoder has freezes the encoder.
        """
        part, _, name = parameter_name.partition(".")
        if part == "decoder":
            return self.encoder.num_layers + layer_of_block(name, self.num_layers)
        return self.encoder.layer_of(name) if part == "encoder" else 0

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return what suits recurrent networks: a high rate and clipped gradients."""
        return {"learning_rate": 2e-3, "weight_decay": 0.0, "clip_norm": 1.0}

    def _memory(self, inputs: Inputs, cache: CrossCache | None = None) -> Memory:
        """Return what is read of a source: what a cache has of it, or else that of the inputs."""

        def computed() -> tuple[Tensor, Tensor]:
            states = inputs.memory
            if states is None:
                assert inputs.source is not None, "there is no source to be read"
                states = self.encode(inputs.source)
            return states, self.decoder.keys(states)

        mask = source_mask(None if inputs.source is None else inputs.source.token_mask)
        if cache is None:
            return Memory(*computed(), mask)
        cache.mask = cache.mask or mask
        return Memory(*cache.of(0, computed), cache.mask)
