"""The shape of an encoder-decoder of two Transformers."""

from __future__ import annotations

from pydantic import Field, model_validator

from foretext.backbones.transformer_config import Positions, TransformerConfig
from foretext.nn.feed_forward import Activation

__all__ = ["EncoderDecoderConfig"]


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
