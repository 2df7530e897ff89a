"""The shape of a Transformer, and which settings go together."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.nn.block import NormPosition
from foretext.nn.feed_forward import GATED, Activation
from foretext.nn.norm import NormKind
from foretext.nn.pooling import PoolerActivation
from foretext.nn.positions import SinusoidOrder

__all__ = ["Positions", "TransformerConfig"]

Positions = Literal["learned", "sinusoidal", "rotary", "relative"]

OF_POSITIONS = {  # settings of one kind of positions
    "rotary_base": "rotary",
    "sinusoids": "sinusoidal",
    "num_buckets": "relative",
    "max_distance": "relative",
}
LANES = 32  # a gated part's width is a multiple of it, for the sake of matrix products


class TransformerConfig(Config):
    """Shape of a Transformer; the defaults are BERT's at size mini."""

    num_layers: int = Field(4, ge=1)
    """Layers of attention and feed-forward."""
    share_layers: bool = False
    """Whether all layers have the same weights, those of one layer."""
    dim: int = Field(256, ge=1)
    """Width of a state."""
    embedding_dim: int | None = Field(None, ge=1)
    """Width of token vectors, which a linear map widens to dim; none: dim, and there is no map."""
    num_heads: int = Field(4, ge=1)
    """Attention heads of a layer."""
    head_dim: int | None = Field(None, ge=1)
    """Width of a head's queries, keys and values; none: dim / num_heads."""
    scale_scores: bool = True
    """Whether attention scores are divided by the root of a head's width; not so in T5."""
    feed_forward_dim: int | None = Field(None, ge=1)
    """Width within the feed-forward part; none: 4 × dim, or 8/3 × dim if it is gated."""
    max_length: int = Field(512, ge=2)
    """Positions of a row, at most."""
    positions: Positions = "learned"
    """How a state knows its position; relative: a learned score for each distance, as in T5."""
    sinusoids: SinusoidOrder = "interleaved"
    """Order of the columns of sinusoidal positions: sines and cosines in turn, or halves."""
    num_buckets: int = Field(32, ge=4)
    """Scores that each head has for distances, if positions are relative; far ones share them."""
    max_distance: int = Field(128, ge=2)
    """Distance from which on all distances have the same score, if positions are relative."""
    rotary_base: float = Field(10_000.0, gt=1)
    """Base of the angles of rotary positions."""
    global_every: int = Field(1, ge=1)
    """Layers: the first one, and each one after so many, looks at all positions."""
    local_window: int = Field(64, ge=1)
    """Positions to each side that the other layers look at."""
    local_rotary_base: float = Field(10_000.0, gt=1)
    """Base of the angles of rotary positions in those layers."""
    scale_embeddings: bool = False
    """Multiply token vectors by the root of their width (Vaswani et al. 2017, 3.4)."""
    num_segments: int = Field(2, ge=0)
    """Kinds of tokens in a row; 0: they are not distinguished."""
    norm: NormKind = "layer"
    """Kind of the norms."""
    norm_position: NormPosition = "post"
    """Where the norms stand: before each part of a layer, or after it."""
    norm_eps: float = Field(1e-12, gt=0)
    """Number that a norm adds to the variance."""
    embedding_norm: bool = True
    """Whether the sum of the embeddings has a norm."""
    first_norm: bool = True
    """Whether the first attention has a norm of its own, if norms stand before."""
    activation: Activation = "gelu"
    """Activation of the feed-forward part; some are gated."""
    bias: bool = True
    """Whether linear maps and layer norms have a bias."""
    pooler_activation: PoolerActivation = "tanh"
    """Activation of the layer that tasks put on the first state, where they pool by it."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout of the embeddings and of each part's result."""
    attention_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout of the attention weights; it costs the fast path on a CPU."""
    feed_forward_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout after the activation of the feed-forward part."""
    init_std: float = Field(0.02, gt=0)
    """Standard deviation of the first weights."""
    token_std: float | None = Field(None, gt=0)
    """Standard deviation of the first token vectors; none: init_std."""
    first_attention: Literal["random", "neighbours"] = "random"
    """What untrained heads look at: anything, or near positions, learned or relative ones."""

    @model_validator(mode="after")
    def _fits(self) -> TransformerConfig:
        if self.share_layers and self.num_layers == 1:
            raise ValueError("share_layers would have no effect where num_layers = 1")
        if self.share_layers and not self.first_norm:
            raise ValueError("share_layers = true needs first_norm = true, as layers are the same")
        if self.head_dim is None and self.dim % self.num_heads:
            raise ValueError(
                f"dim = {self.dim} must be a multiple of num_heads = {self.num_heads}, or head_dim "
                "be set"
            )
        if self.positions == "rotary" and self.head_width % 2:
            raise ValueError("rotary positions need heads of an even width")
        for name, positions in OF_POSITIONS.items():
            if name in self.changed and self.positions != positions:
                raise ValueError(f"{name} would have no effect without {positions} positions")
        if self.positions == "relative" and self.max_distance <= self.num_buckets // 2:
            raise ValueError(
                f"max_distance = {self.max_distance} must be more than half of num_buckets = "
                f"{self.num_buckets}, as near distances have a score each"
            )
        local = {"local_window", "local_rotary_base"} & self.changed
        if self.global_every == 1 and local:
            raise ValueError(f"{min(local)} would have no effect where global_every = 1")
        if self.positions != "rotary" and "local_rotary_base" in local:
            raise ValueError("local_rotary_base would have no effect without rotary positions")
        return self

    def narrowed(self, rate: float, num_layers: int | None) -> Self:
        """Return the settings of a network that is `rate` times as wide, with as many heads.

        Its token vectors keep their width. Without `num_layers` it has as many layers. Its first
        weights are larger, as the inverse root of the width, so that its states begin as large.
        """
        head_dim = 2 * max(round(rate * self.dim / self.num_heads / 2), 1)  # rotary: even
        dim = self.num_heads * head_dim
        heads = None if self.head_dim is None else 2 * max(round(rate * self.head_dim / 2), 1)
        hidden = None if self.feed_forward_dim is None else round(rate * self.feed_forward_dim)
        changed = {
            "num_layers": num_layers or self.num_layers,
            "dim": dim,
            "head_dim": heads,
            "embedding_dim": self.embedding_width if dim != self.embedding_width else None,
            "feed_forward_dim": None if hidden is None else max(hidden // LANES, 1) * LANES,
            "init_std": self.init_std * (self.dim / dim) ** 0.5,
        }
        return self.model_copy(update=changed)

    @property
    def embedding_width(self) -> int:
        """Width of the vectors of tokens, positions and segments, E."""
        return self.embedding_dim or self.dim

    @property
    def head_width(self) -> int:
        """Width of a head's queries, keys and values."""
        return self.head_dim or self.dim // self.num_heads

    @property
    def hidden_dim(self) -> int:
        """Width within the feed-forward part."""
        if self.feed_forward_dim is not None:
            return self.feed_forward_dim
        if self.activation in GATED:  # three maps in place of two: as many weights
            return max(round(8 * self.dim / 3 / LANES), 1) * LANES
        return 4 * self.dim
