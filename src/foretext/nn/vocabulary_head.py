"""From states to tokens: the head of every language model, computed at target positions only."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.nn.feed_forward import ACTIVATIONS, Activation
from foretext.nn.linear_cross_entropy import linear_cross_entropy, sampled_cross_entropy
from foretext.nn.norm import NormKind, make_norm
from foretext.nn.token_head import Score, TokenHead

__all__ = ["HeadTransform", "Score", "VocabularyHead", "class_score"]

INIT_STD = 0.02  # as the weights of the backbone


class VocabularyHead(TokenHead):
    """A linear map to the vocabulary, after a transform of the states or without.

    Args:
        dim: width of a state, or of what the transform makes of it.
        vocab_size: tokens.
        transform: of the states before the map, or None.
        tied: the token vectors, (V, E), which are the map's weights too; None: weights of its own.
        bias: whether the map to the vocabulary has an additive part.
    """

    def __init__(
        self,
        dim: int,
        vocab_size: int,
        *,
        transform: nn.Module | None,
        tied: nn.Parameter | None,
        bias: bool,
    ) -> None:
        super().__init__()
        self.transform = transform or nn.Identity()
        if tied is None:
            tied = nn.Parameter(torch.empty(vocab_size, dim))
            nn.init.normal_(tied, std=INIT_STD)
        self.weight = tied
        self.bias = nn.Parameter(torch.zeros(vocab_size)) if bias else None

    def forward(self, states: Tensor) -> Tensor:
        """Map states (..., D) to logits (..., V)."""
        return F.linear(self.transform(states), self.weight, self.bias)

    def score(self, states: Tensor, targets: Tensor, smoothing: float = 0.0) -> Score:
        """Score the states (M, D) against the ids (M,) of their positions."""
        hidden = self.transform(states)
        return Score(*linear_cross_entropy(hidden, self.weight, self.bias, targets, smoothing))

    def score_and_draw(
        self, states: Tensor, targets: Tensor, draws: Tensor
    ) -> tuple[Score, Tensor]:
        """Score as `score` does, and draw an id for each position from what is predicted, (M,).

        Args:
            states: (M, D).
            targets: (M,) ids.
            draws: (M,) float32, uniform in [0, 1); the same numbers draw the same ids.
        """
        hidden = self.transform(states)
        loss, correct, drawn = sampled_cross_entropy(hidden, self.weight, self.bias, targets, draws)
        return Score(loss, correct), drawn

    def as_layers(self) -> nn.Module:
        """Return the transform and a linear layer with the same weights."""
        V, E = self.weight.shape
        layer = nn.Linear(E, V, bias=self.bias is not None, device="meta")
        layer.weight = self.weight
        if self.bias is not None:
            layer.bias = self.bias
        return nn.Sequential(self.transform, layer)


class HeadTransform(nn.Module):
    """Linear, activation, norm: what BERT puts before its vocabulary (Devlin et al. 2019).

    Args:
        dim: width of a state, D.
        activation: after the linear map.
        norm: kind of the norm.
        eps: of the norm.
        bias: whether map and norm have an additive part.
        width: of the result, E; None: D. Token vectors of that width can be the head's weights.
    """

    def __init__(
        self,
        dim: int,
        activation: Activation,
        norm: NormKind,
        *,
        eps: float,
        bias: bool,
        width: int | None = None,
    ) -> None:
        super().__init__()
        width = width or dim
        self.dense = nn.Linear(dim, width, bias=bias)
        self.activation = ACTIVATIONS[activation]
        self.norm = make_norm(norm, width, eps=eps, bias=bias)
        nn.init.normal_(self.dense.weight, std=INIT_STD)
        if bias:
            nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor) -> Tensor:
        """Map (..., D) to (..., E)."""
        return self.norm(self.activation(self.dense(states)))


def class_score(logits: Tensor, targets: Tensor) -> Score:
    """Score logits (M, C) against classes (M,)."""
    loss = F.cross_entropy(logits.float(), targets, reduction="sum")
    return Score(loss, (logits.argmax(-1) == targets).sum())
