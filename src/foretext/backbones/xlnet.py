"""XLNet's network (Yang et al. 2019): a Transformer that knows distances instead of positions.

Two streams are one row. The first S positions are the text (content stream), the others are
queries: each begins as one learned vector, stands at the position of a token that it may not see,
and looks at the states of the text as a matrix allows. No position looks at a query.

First weights with which each head of relative attention looks at one near distance. With random
first weights a head looks at all distances alike. A small network then learns the frequencies of
words and stays there, as a Transformer does (`neighbour_attention`). Here the vector v of a head
and its map W of distances get v W = u, where u r_x is highest at the head's distance. What is
added to the residual stream begins smaller (Radford et al. 2019, section 2.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Protocol, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from foretext.backbones.attention_backbone import (
    ATTENTION_TRAITS,
    AttentionBackbone,
    draw_linear,
)
from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.data.batch import Inputs, Visibility
from foretext.nn.attention_mask import attention_mask
from foretext.nn.cache import Cache
from foretext.nn.dropout import Dropout
from foretext.nn.feed_forward import FeedForward
from foretext.nn.flops import Flops, matrix_flops, num_passes
from foretext.nn.pooling import Pooling
from foretext.nn.relative_attention import (
    Distances,
    RelativeAttention,
    RelativeLayout,
    distance_table,
)

__all__ = ["XLNet"]

CLS_SEGMENT = 2  # texts have 0 and 1

# From a query to its key, of the heads: in even layers and in odd ones. 1 is the token before.
DISTANCES = ((1, -1, 2, -2), (-2, 2, 1, -1))
SHARPNESS = 1.5  # nats by which the score of its distance is above those of its neighbours
BIAS_STD = 0.5  # of v; with the weights of v at 0.02, W would need large ones


class XLNet(AttentionBackbone):
    """Token vectors, then layers of relative attention and feed-forward, norms after each.

    Args:
        config: the user's settings.
        vocab_size: tokens.
    """

    class Config(Settings):
        """Shape of the network."""

        num_layers: int = Field(4, ge=1)
        """Layers of attention and feed-forward."""
        dim: int = Field(256, ge=2)
        """Width of a state."""
        num_heads: int = Field(4, ge=1)
        """Attention heads of a layer."""
        feed_forward_dim: int | None = Field(None, ge=1)
        """Width within the feed-forward part; none: 4 × dim."""
        max_length: int = Field(512, ge=2)
        """Positions of a row, at most; longer texts are read in windows."""
        cls_segment: bool = False
        """Whether the last token of a row, `[CLS]`, is a segment of its own."""
        activation: Literal["gelu", "gelu_tanh", "relu"] = "gelu"
        """Activation of the feed-forward part."""
        norm_eps: float = Field(1e-12, gt=0)
        """Number that a norm adds to the variance."""
        dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of embeddings, distances, and of each part's result."""
        attention_dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of the attention weights; it costs the fast path on a CPU."""
        init_std: float = Field(0.02, gt=0)
        """Standard deviation of the first weights."""
        first_attention: Literal["random", "neighbours"] = "random"
        """What untrained heads look at: anything, or near positions."""

        @model_validator(mode="after")
        def _fits(self) -> XLNet.Config:
            if self.dim % self.num_heads:
                raise ValueError(
                    f"dim = {self.dim} must be a multiple of num_heads = {self.num_heads}"
                )
            if self.dim % 2:
                raise ValueError(f"dim = {self.dim} must be even: distances are sines and cosines")
            return self

        @property
        def hidden_dim(self) -> int:
            """Width within the feed-forward part."""
            return self.feed_forward_dim or 4 * self.dim

    config: Config
    visibilities: frozenset[Visibility] = frozenset({"full", "matrix"})
    adds_to_scores = True
    is_graph = True
    num_segments = 2
    task_traits = replace(ATTENTION_TRAITS, pooler_on="last")  # `[CLS]`

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.dim, self.num_layers = config.dim, config.num_layers
        self.max_length = self.usual_length = config.max_length
        self.tokens = nn.Embedding(vocab_size, config.dim)
        self.query = nn.Parameter(torch.empty(1, 1, config.dim))
        self.register_buffer(
            "table", distance_table(config.max_length, config.dim), persistent=False
        )
        self.dropout = Dropout(config.dropout)
        self.blocks = nn.ModuleList(Layer(config) for _ in range(config.num_layers))
        self._initialise()

    @property
    def embedding(self) -> nn.Parameter:
        """The token vectors, (V, D)."""
        return cast(nn.Parameter, self.tokens.weight)

    @property
    def layers(self) -> list[Layer]:
        """The layers that compute, the first one first."""
        return [cast(Layer, block) for block in self.used_blocks]

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T), of which S ≤ max_length are no queries.

        Key j stands at position j; `Inputs.positions` says where the queries stand. If only their
        states are needed, the last layer computes no other.
        """
        assert cache is None, "XLNet continues no texts"
        x = self._embedded(inputs)
        layout = self._layout(inputs, x.dtype)
        only_queries = inputs.needed == "queries" and inputs.num_queries and not keep_layers
        num_needed = None
        layers, blocks = [x], self.layers
        for layer, block in enumerate(blocks):
            if only_queries and layer == len(blocks) - 1:
                num_needed = inputs.num_queries
                layout = layout.last(num_needed)
            if self.checkpointing and self.training:
                x = checkpoint(block, x, layout, num_needed, use_reentrant=False)
            else:
                x = block(x, layout, num_needed)
            if keep_layers:
                layers.append(x)
        return States(self.dropout(x), tuple(layers) if keep_layers else ())

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the attention weights, (B, H, T, S)."""
        layers = self.forward(inputs, keep_layers=True).layers
        layout = self._layout(inputs, layers[0].dtype)
        return tuple(
            block.attention.weights(x, layout)
            for block, x in zip(self.layers, layers, strict=False)
            # the last of the states feeds no layer
        )

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, 1 = the first layer, and so on."""
        return 0 if parameter_name == "query" else super().layer_of(parameter_name)

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each."""
        layers = range(self.num_layers)
        shared = {f"blocks.{layer}.attention.query_key_value.weight": 3 for layer in layers}
        return super().matrices_for_muon() | shared

    def flops(self) -> Flops:
        """Return the operations of a training step, with the layers frozen that are so now.

        The map of distances does not depend on the number of tokens, and is left out.
        """
        return Flops(
            per_token=sum(
                matrix_flops(block) - matrix_flops(block.attention.distance)
                for block in self.layers
            ),
            per_pair=sum(6 * self.dim * num_passes(block) for block in self.layers),
        )

    def default_pooling(
        self, visibility: Visibility, *, has_pooler: bool, siamese: bool = False
    ) -> Pooling:
        """Return the mean: pretraining predicts tokens, nothing from the state of `[CLS]`."""
        return "mean"

    def initialise_head(self, layer: nn.Linear) -> None:
        """Draw the weights of a task's layer from N(0, init_std²); its bias becomes zero."""
        draw_linear(layer, self.config.init_std)

    def _embedded(self, inputs: Inputs) -> Tensor:
        """Return the token vectors, and the query vector at queries, (B, T, D)."""
        num_keys = inputs.ids.shape[1] - inputs.num_queries
        assert num_keys <= self.max_length, f"{num_keys} positions, at most {self.max_length}"
        x = self.tokens(inputs.ids[:, :num_keys])
        if inputs.num_queries:
            queries = self.query.to(x.dtype).expand(len(x), inputs.num_queries, -1)
            x = torch.cat((x, queries), dim=1)
        return cast(Tensor, self.dropout(x))

    def _layout(self, inputs: Inputs, dtype: torch.dtype) -> RelativeLayout:
        """Return masks and distances, the same in each layer."""
        T = inputs.ids.shape[1]
        num_keys = T - inputs.num_queries
        positions = inputs.positions
        if positions is None:
            assert not inputs.num_queries, "positions are needed to say where queries stand"
            positions = torch.arange(T, device=inputs.ids.device)[None]
        distances = Distances.between(positions, num_keys, self._differs(inputs, num_keys))
        first = self.max_length - num_keys
        table = cast(Tensor, self.table)[first : first + Distances.num_columns(num_keys)]
        return RelativeLayout(attention_mask(inputs), distances, self.dropout(table.to(dtype)))

    def _differs(self, inputs: Inputs, num_keys: int) -> Tensor | None:
        """Return where query and key are of different segments, (B or 1, T, S); None: nowhere."""
        segments = inputs.segments
        if segments is None and not self.config.cls_segment:
            return None
        if segments is None:
            num_rows = 1 if inputs.token_mask is None else len(inputs.ids)
            segments = inputs.ids.new_zeros(num_rows, inputs.ids.shape[1])
        if self.config.cls_segment:
            segments = segments.index_put(_ends(inputs, num_keys), segments.new_tensor(CLS_SEGMENT))
        return segments[:, :, None] != segments[:, None, :num_keys]

    def _initialise(self) -> None:
        """Draw weights, and the biases of attention, from N(0, init_std²); others become zero."""
        std = self.config.init_std
        for module in self.modules():
            if isinstance(module, nn.Linear):
                draw_linear(module, std)
        attentions = (vector for block in self.layers for vector in block.attention.vectors())
        for vector in (self.query, self.embedding, *attentions):
            nn.init.normal_(vector, std=std)
        if self.config.first_attention == "neighbours":
            _attend_to_near_distances(self.layers, self.dim)


class Layer(nn.Module):
    """Attention and feed-forward, each added to its input and normed."""

    def __init__(self, config: XLNet.Config) -> None:
        super().__init__()
        dim, eps = config.dim, config.norm_eps
        self.attention = RelativeAttention(dim, config.num_heads, dropout=config.attention_dropout)
        self.attention_norm = nn.LayerNorm(dim, eps)
        self.feed_forward = FeedForward(
            dim, config.hidden_dim, config.activation, bias=True, dropout=config.dropout
        )
        self.feed_forward_norm = nn.LayerNorm(dim, eps)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, layout: RelativeLayout, num_needed: int | None = None) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the last `num_needed` positions of that."""
        mixed = self.dropout(self.attention(x, layout, num_needed))
        x = self.attention_norm((x if num_needed is None else x[:, -num_needed:]) + mixed)
        normed: Tensor = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return normed


def _ends(inputs: Inputs, num_keys: int) -> tuple[Tensor, Tensor]:
    """Return row and position of each row's last real token; of one row where all are alike."""
    if inputs.token_mask is None:
        ends = torch.tensor([num_keys - 1], device=inputs.ids.device)
        if inputs.segments is not None:
            ends = ends.expand(len(inputs.ids))
    else:
        ends = inputs.token_mask[:, :num_keys].sum(1).clamp(min=1) - 1
    return torch.arange(len(ends), device=ends.device), ends


class _Layer(Protocol):
    attention: RelativeAttention
    feed_forward: FeedForward


@torch.no_grad()
def _attend_to_near_distances(layers: Sequence[_Layer], dim: int) -> None:
    """Let each head look at one of `DISTANCES`, and add less to the residual stream.

    Args:
        layers: whose other random weights stay.
        dim: width of a state.
    """
    scale = (2 * len(layers)) ** -0.5
    for number, layer in enumerate(layers):
        layer.attention.output.weight.mul_(scale)
        layer.feed_forward.outer.weight.mul_(scale)
        distances = DISTANCES[number % len(DISTANCES)]
        for head in range(layer.attention.num_heads):
            _look(layer.attention, head, _peak(distances[head % len(distances)], dim))


def _peak(distance: int, dim: int) -> Tensor:
    """Return u, (D,), whose product with the sinusoids is highest at a distance."""
    reach = abs(distance) + 1
    table = distance_table(reach, dim)  # of the distances reach, reach - 1, ...
    here, near = table[reach - distance], table[reach - distance - 1]
    return here * (SHARPNESS / (here @ (here - near)))


def _look(attention: RelativeAttention, head: int, u: Tensor) -> None:
    width = attention.distance_bias.shape[1]
    v = nn.init.normal_(attention.distance_bias[head], std=BIAS_STD)
    rows = attention.distance.weight[head * width : (head + 1) * width]  # W of the head, (d, D)
    lacking = u.to(rows) / attention.scale - v @ rows
    rows.add_(torch.outer(v / v.square().sum(), lacking))
