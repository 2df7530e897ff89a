"""The shape of DeBERTa, and which settings go together."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.base.config import Config

__all__ = ["DebertaConfig"]


class DebertaConfig(Config):
    """Shape of the network; what the sizes share is that of DeBERTaV3."""

    num_layers: int = Field(4, ge=1)
    """Layers of attention and feed-forward."""
    dim: int = Field(256, ge=1)
    """Width of a state."""
    num_heads: int = Field(4, ge=1)
    """Attention heads of a layer."""
    feed_forward_dim: int | None = Field(None, ge=1)
    """Width within the feed-forward part; none: 4 × dim."""
    embedding_dim: int | None = Field(None, ge=1)
    """Width of the token vectors, if a linear map widens them; none: dim."""
    max_length: int = Field(512, ge=2)
    """Positions of a row, at most."""
    num_buckets: int | None = Field(256, ge=4)
    """Vectors of distances to each side, shared by far ones; none: one for each distance."""
    max_distance: int | None = Field(None, ge=2)
    """Distance from which on all are the same; none: max_length."""
    distance_norm: bool = True
    """Whether the vectors of distances have a norm."""
    shared_maps: bool = True
    """Whether contents and distances become queries and keys by the same maps."""
    absolute_positions: bool = False
    """Whether vectors of positions are added to those of tokens, too."""
    num_segments: int = Field(0, ge=0)
    """Kinds of tokens in a row; 0: they are not distinguished."""
    convolution_width: int | None = Field(None, ge=1)
    """Positions that a convolution adds to the first layer, an odd number; none: without one."""
    convolution_activation: Literal["tanh", "gelu"] = "tanh"
    """Activation of that convolution."""
    activation: Literal["gelu", "gelu_tanh", "relu"] = "gelu"
    """Activation of the feed-forward part."""
    norm_eps: float = Field(1e-7, gt=0)
    """Number that a norm adds to the variance."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout of embeddings, distances, and of each part's result."""
    attention_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout of the attention weights; it costs the fast path on a CPU."""
    init_std: float = Field(0.02, gt=0)
    """Standard deviation of the first weights."""

    @model_validator(mode="after")
    def _fits(self) -> DebertaConfig:
        if self.dim % self.num_heads:
            raise ValueError(f"dim = {self.dim} must be a multiple of num_heads = {self.num_heads}")
        if self.embedding_dim == self.dim:
            raise ValueError(f"embedding_dim = {self.dim} is dim: leave it out")
        if self.convolution_width is not None and self.convolution_width % 2 == 0:
            raise ValueError(
                f"convolution_width = {self.convolution_width} must be odd, to have a middle"
            )
        if self.convolution_width is None and "convolution_activation" in self.changed:
            raise ValueError("convolution_activation needs a convolution_width")
        exact = (self.num_buckets or self.longest_distance) // 2
        if self.num_buckets and self.longest_distance - 1 <= exact < self.max_length - 1:
            raise ValueError(
                f"max_distance = {self.longest_distance} is too small for num_buckets = "
                f"{self.num_buckets}: distances up to {exact} have a bucket each"
            )
        return self

    def narrowed(self, rate: float, num_layers: int | None) -> Self:
        """Return the settings of a network that is `rate` times as wide, with as wide heads.

        Its token vectors keep their width. Without `num_layers` it has as many layers. Its first
        weights are larger, as the inverse root of the width, so that its states begin as large.
        """
        num_heads = max(round(rate * self.num_heads), 1)
        dim, width = num_heads * (self.dim // self.num_heads), self.embedding_dim or self.dim
        changed = {
            "num_layers": num_layers or self.num_layers,
            "num_heads": num_heads,
            "dim": dim,
            "embedding_dim": None if width == dim else width,
            "feed_forward_dim": max(round(rate * self.hidden_dim), 1),
            "init_std": self.init_std * (self.dim / dim) ** 0.5,
        }
        return self.model_copy(update=changed)

    @property
    def hidden_dim(self) -> int:
        """Width within the feed-forward part."""
        return self.feed_forward_dim or 4 * self.dim

    @property
    def longest_distance(self) -> int:
        """Distance from which on all are the same."""
        return self.max_distance or self.max_length
