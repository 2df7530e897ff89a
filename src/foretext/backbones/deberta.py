"""DeBERTa of the second and third release (He et al. 2021; He et al. 2023, "DeBERTaV3").

A Transformer whose attention compares contents with distances, so that it needs no positions in its
input. The vectors of distances are shared by all layers. By option a convolution adds the
neighbours of a token to the first layer, as in the two largest models of the second release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from foretext.backbones.attention_backbone import ATTENTION_TRAITS, AttentionBackbone
from foretext.backbones.base import Segmented, States
from foretext.base.config import Config
from foretext.data.batch import Inputs, Visibility
from foretext.nn.attention import Layout
from foretext.nn.attention_mask import attention_mask
from foretext.nn.block import Block
from foretext.nn.cache import Cache
from foretext.nn.convolution import Convolution
from foretext.nn.disentangled_attention import DisentangledAttention, distance_buckets
from foretext.nn.dropout import Dropout
from foretext.nn.feed_forward import FeedForward
from foretext.nn.flops import Flops, matrix_flops, num_passes
from foretext.nn.pooling import Pooling

__all__ = ["Deberta", "DebertaConfig"]

EMBEDDINGS = ("embeddings.", "distances.", "distance_norm.")  # names of parameters
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {  # of the convolution
    "tanh": torch.tanh,
    "gelu": nn.functional.gelu,
}


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


class Deberta(AttentionBackbone):
    """Token vectors, then layers of disentangled attention and feed-forward, norms after each.

    Args:
        config: the user's settings.
        vocab_size: tokens.
    """

    Config = DebertaConfig

    config: DebertaConfig
    visibilities: frozenset[Visibility] = frozenset({"full"})
    adds_to_scores = True
    task_traits = replace(ATTENTION_TRAITS, pooler_activation="gelu")
    is_graph = True
    buckets: Tensor
    base_rate = 3e-5  # in the range of He et al. 2021 for size base

    def __init__(self, config: DebertaConfig, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.dim, self.num_layers = config.dim, config.num_layers
        self.max_length = self.usual_length = config.max_length
        self.num_segments = config.num_segments
        self.embeddings = Embeddings(config, vocab_size)
        num_vectors = 2 * (config.num_buckets or config.longest_distance)
        self.distances = nn.Embedding(num_vectors, config.dim)
        buckets = distance_buckets(config.max_length, config.num_buckets, config.longest_distance)
        self.register_buffer("buckets", buckets, persistent=False)  # (2 max_length - 1,)
        norm = nn.LayerNorm(config.dim, config.norm_eps)
        self.distance_norm = norm if config.distance_norm else nn.Identity()
        self.blocks = nn.ModuleList(_block(config) for _ in range(config.num_layers))
        self.convolution = None if config.convolution_width is None else Neighbours(config)
        self.draw_weights(config.init_std)

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
        """The block of each layer that computes, the first one first."""
        return [cast(Block, block) for block in self.used_blocks]

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T), T ≤ max_length.

        If only the first position is needed, the last layer computes no other.
        """
        assert cache is None, "DeBERTa continues no texts"
        x = embedded = self.embeddings(inputs)
        layout = self._layout(inputs)
        only_first = inputs.needed == "first" and not keep_layers
        layers, blocks = [x], self.layers
        for layer, block in enumerate(blocks):
            joins = layer == 0 and self.convolution is not None
            is_last = layer == len(blocks) - 1
            num_needed = 1 if only_first and is_last and not joins else None
            if self.checkpointing and self.training:
                x = checkpoint(block, x, layout, layer, None, num_needed, use_reentrant=False)
            else:
                x = block(x, layout, layer, None, num_needed)
            if layer == 0 and self.convolution is not None:
                x = self.convolution(x, embedded, inputs.token_mask)
            if keep_layers:
                layers.append(x)
        return States(x, tuple(layers) if keep_layers else ())

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the attention weights, (B, H, T, T)."""
        layers, layout = self.forward(inputs, keep_layers=True).layers, self._layout(inputs)
        return tuple(
            block.attention.weights(x, layout)
            for block, x in zip(self.layers, layers, strict=False)
            # the last of the states feeds no block
        )

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, 1 = the first layer, and so on."""
        if parameter_name.startswith("convolution."):
            return 1
        return 0 if parameter_name.startswith(EMBEDDINGS) else super().layer_of(parameter_name)

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each."""
        counts = super().matrices_for_muon()
        parts = {"query_key_value": 3, "distance_query_key": 2}
        return {name: parts.get(name.split(".")[-2], count) for name, count in counts.items()}

    def narrower(self, rate: float, num_layers: int | None = None) -> Deberta:
        """Return one with random weights, `rate` times as wide, whose heads are as wide."""
        return Deberta(self.config.narrowed(rate, num_layers), self.vocab_size)

    def flops(self) -> Flops:
        """Return the operations of a training step, with the layers frozen that are so now.

        The maps of distances, which all texts share, are not counted.
        """
        further = 0
        if self.embeddings.projection is not None:
            further += matrix_flops(self.embeddings.projection)
        if self.convolution is not None:
            weight = self.convolution.convolution.weight
            further += 2 * weight.numel() * num_passes(self.convolution)
        return Flops(
            per_token=further + sum(matrix_flops(block) for block in self.layers),
            per_pair=sum(8 * self.dim * num_passes(block) for block in self.layers),
        )

    def default_pooling(
        self, visibility: Visibility, *, has_pooler: bool, siamese: bool = False
    ) -> Pooling:
        """Return the mean, or the first position where pretraining predicted from it.

        The authors always take the first position. After little pretraining without such a
        prediction it says little of the text, and with much of it both are as good.
        """
        return "cls" if has_pooler and not siamese else "mean"

    @staticmethod
    def settings_for_rows(config: DebertaConfig, row_length: int) -> Mapping[str, Any]:
        """Return the number of absolute positions: those that no row reaches are not learned."""
        if not config.absolute_positions:
            return {}
        return {"max_length": row_length, "max_distance": config.longest_distance}

    def _layout(self, inputs: Inputs) -> Layout:
        """Return the mask, and the vectors of all distances in a row."""
        T = inputs.ids.shape[1]
        buckets = self.buckets[self.max_length - T : self.max_length + T - 1]
        vectors = self.distance_norm(self.distances.weight)[buckets]
        return Layout(attention_mask(inputs), distances=vectors)


class Embeddings(nn.Module):
    """The sum of the vectors, (B, T, E), a map to the width D if E is another, norm and dropout."""

    def __init__(self, config: DebertaConfig, vocab_size: int) -> None:
        super().__init__()
        width = config.embedding_dim or config.dim
        self.max_length = config.max_length
        self.tokens = nn.Embedding(vocab_size, width)
        self.positions = (
            nn.Embedding(config.max_length, width) if config.absolute_positions else None
        )
        self.segments = nn.Embedding(config.num_segments, width) if config.num_segments else None
        self.projection = nn.Linear(width, config.dim, bias=False) if config.embedding_dim else None
        self.norm = nn.LayerNorm(config.dim, config.norm_eps)
        self.dropout = Dropout(config.dropout)

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the embeddings of inputs (B, T), (B, T, D)."""
        T = inputs.ids.shape[1]
        assert self.max_length >= T, f"{T} positions, at most {self.max_length}"
        x = self.tokens(inputs.ids)
        if self.positions is not None:
            x = x + self.positions.weight[:T]
        if self.segments is not None:
            own = inputs.segments
            x = x + (self.segments.weight[0] if own is None else self.segments(own))
        if self.projection is not None:
            x = self.projection(x)
        return cast(Tensor, self.dropout(self.norm(x)))

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors of the segments by these, (K, E), which are learned from now on."""
        weight = vectors.detach().to(self.tokens.weight)
        self.segments = nn.Embedding(len(weight), weight.shape[1], _weight=weight)


class Neighbours(nn.Module):
    """Adds a convolution of the embeddings to the states of the first layer, then a norm."""

    def __init__(self, config: DebertaConfig) -> None:
        super().__init__()
        assert config.convolution_width is not None
        self.convolution = Convolution(config.dim, config.dim, config.convolution_width)
        nn.init.normal_(self.convolution.weight, std=config.init_std)
        self.activation = ACTIVATIONS[config.convolution_activation]
        self.norm = nn.LayerNorm(config.dim, config.norm_eps)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, embedded: Tensor, token_mask: Tensor | None) -> Tensor:
        """Map states and embeddings, (B, T, D) each, to (B, T, D); padding counts as zeros."""
        if token_mask is not None:
            embedded = embedded * token_mask[..., None].to(embedded)
        found = self.activation(self.dropout(self.convolution(embedded)))
        return cast(Tensor, self.norm(x + found))


def _block(config: DebertaConfig) -> Block:
    attention = DisentangledAttention(
        config.dim,
        config.num_heads,
        shared_maps=config.shared_maps,
        dropout=config.attention_dropout,
        distance_dropout=config.dropout,
    )
    return Block(
        attention,
        FeedForward(config.dim, config.hidden_dim, config.activation, bias=True, dropout=0.0),
        nn.LayerNorm(config.dim, config.norm_eps),
        nn.LayerNorm(config.dim, config.norm_eps),
        norm_position="post",
        dropout=config.dropout,
    )
