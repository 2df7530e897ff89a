"""The shape of a recurrent encoder and decoder, and which settings go together."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from foretext.backbones.recurrent import Recurrent
from foretext.base.config import Config
from foretext.nn.source_attention import ScoreKind

__all__ = ["Seq2SeqConfig"]


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
    attention: ScoreKind = "additive"
    """Score of a state of the source: additive (Bahdanau), general or dot (Luong)."""
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
