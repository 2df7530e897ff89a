"""What a Transformer adds up first: vectors of tokens, positions and segments.

Devlin et al. 2019, section 3. By option they are narrower than the states, and a linear map widens
their sum: the factorised embeddings of ALBERT (Lan et al. 2020, section 3.1) and of ELECTRA.
"""

from __future__ import annotations

import math

from torch import Tensor, nn

from foretext.backbones.transformer_config import TransformerConfig
from foretext.data.batch import Inputs
from foretext.nn.dropout import Dropout
from foretext.nn.norm import make_norm
from foretext.nn.positions import sinusoids

__all__ = ["Embeddings", "where"]


class Embeddings(nn.Module):
    """The sum of the vectors, (B, T, E), its norm and dropout, then a map to the width D.

    Args:
        config: the user's settings; without `embedding_dim` E is D, and there is no map.
        vocab_size: tokens.
    """

    def __init__(self, config: TransformerConfig, vocab_size: int) -> None:
        super().__init__()
        self.width = config.embedding_width
        self.max_length = config.max_length
        self.scale = math.sqrt(self.width) if config.scale_embeddings else None  # of token vectors
        self.tokens = nn.Embedding(vocab_size, self.width)
        self.segments = (
            nn.Embedding(config.num_segments, self.width) if config.num_segments else None
        )
        self.positions = (
            nn.Embedding(config.max_length, self.width) if config.positions == "learned" else None
        )
        table = (
            sinusoids(config.max_length, self.width, config.sinusoids)
            if config.positions == "sinusoidal"
            else None
        )
        self.register_buffer("sinusoids", table, persistent=False)
        self.norm = (
            make_norm(config.norm, self.width, eps=config.norm_eps, bias=config.bias)
            if config.embedding_norm
            else nn.Identity()
        )
        self.dropout = Dropout(config.dropout)
        self.projection = (
            nn.Linear(self.width, config.dim, bias=config.bias) if config.embedding_dim else None
        )

    def forward(self, inputs: Inputs, num_cached: int) -> Tensor:
        """Return the embeddings of inputs (B, T) that follow what is cached, (B, T, D)."""
        end = num_cached + inputs.ids.shape[1]
        if inputs.positions is None:
            assert end <= self.max_length, f"{end} positions, at most {self.max_length}"
        x = self.dropout(self.norm(self._sum(inputs, where(inputs, num_cached))))
        return x if self.projection is None else self.projection(x)

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors of the segments by these, (K, E), which are learned from now on."""
        weight = vectors.detach().to(self.tokens.weight)
        self.segments = nn.Embedding(len(vectors), self.width, _weight=weight)

    def _sum(self, inputs: Inputs, positions: slice | Tensor) -> Tensor:
        """Return the sum of token, position and segment vectors, (B, T, E)."""
        x: Tensor = self.tokens(inputs.ids)
        if self.scale is not None:
            x = x * self.scale
        if self.positions is not None:
            by_index = isinstance(positions, Tensor)
            x = x + (self.positions(positions) if by_index else self.positions.weight[positions])
        elif self.sinusoids is not None:
            x = x + self.sinusoids[positions].to(x.dtype)  # type: ignore[index]
        if self.segments is None:
            return x
        if inputs.segments is None:
            return x + self.segments.weight[0]
        return x + self.segments(inputs.segments)


def where(inputs: Inputs, num_cached: int) -> slice | Tensor:
    """Return the positions of inputs: those that follow what is cached, or (B, T) of their own."""
    if inputs.positions is not None:
        return inputs.positions
    return slice(num_cached, num_cached + inputs.ids.shape[1])
