"""The shape of a Transformer, and which settings go together."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.nn.block import NormPosition
from foretext.nn.feed_forward import GATED, Activation
from foretext.nn.norm import NormKind

__all__ = ["TransformerConfig"]

LANES = 32  # a gated part's width is a multiple of it, for the sake of matrix products


class TransformerConfig(Config):
    """Shape of a Transformer; the defaults are BERT's at size mini."""

    num_layers: int = Field(4, ge=1)
    dim: int = Field(256, ge=1)  # width of a state
    num_heads: int = Field(4, ge=1)
    feed_forward_dim: int | None = Field(None, ge=1)  # None: 4 × dim; gated: 8/3 × dim
    max_length: int = Field(512, ge=2)  # positions
    positions: Literal["learned", "sinusoidal", "rotary"] = "learned"
    rotary_base: float = Field(10_000.0, gt=1)
    global_every: int = Field(1, ge=1)  # layers: the first, and each one after so many, look at all
    local_window: int = Field(64, ge=1)  # positions to each side that the other layers look at
    local_rotary_base: float = Field(10_000.0, gt=1)  # of those
    num_segments: int = Field(2, ge=0)  # kinds of tokens in a row; 0: they are not distinguished
    norm: NormKind = "layer"
    norm_position: NormPosition = "post"
    norm_eps: float = Field(1e-12, gt=0)
    embedding_norm: bool = True  # a norm over the sum of the embeddings
    first_norm: bool = True  # pre-norm: whether the first attention has a norm of its own
    activation: Activation = "gelu"
    bias: bool = True  # in linear maps and layer norms
    dropout: float = Field(0.0, ge=0, lt=1)  # of embeddings and of each part's result
    attention_dropout: float = Field(0.0, ge=0, lt=1)  # of weights; costs the fast path on CPU
    init_std: float = Field(0.02, gt=0)

    @model_validator(mode="after")
    def _fits(self) -> TransformerConfig:
        if self.dim % self.num_heads:
            raise ValueError(f"dim = {self.dim} must be a multiple of num_heads = {self.num_heads}")
        if self.positions == "rotary" and self.dim // self.num_heads % 2:
            raise ValueError("rotary positions need heads of an even width")
        if self.positions != "rotary" and "rotary_base" in self.changed:
            raise ValueError("rotary_base would have no effect without rotary positions")
        local = {"local_window", "local_rotary_base"} & self.changed
        if self.global_every == 1 and local:
            raise ValueError(f"{min(local)} would have no effect where global_every = 1")
        if self.positions != "rotary" and "local_rotary_base" in local:
            raise ValueError("local_rotary_base would have no effect without rotary positions")
        return self

    @property
    def hidden_dim(self) -> int:
        """Width within the feed-forward part."""
        if self.feed_forward_dim is not None:
            return self.feed_forward_dim
        if self.activation in GATED:  # three maps in place of two: as many weights
            return max(round(8 * self.dim / 3 / LANES), 1) * LANES
        return 4 * self.dim
