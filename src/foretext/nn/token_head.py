"""What every head from states to tokens does, and what it says of its predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from torch import Tensor, nn

__all__ = ["Score", "TokenHead"]


class Score(NamedTuple):
    """Loss and hits of the predictions of a batch."""

    loss: Tensor  # (), summed negative log-likelihood
    num_correct: Tensor | None = None  # (), predictions whose most probable value is the target
    num_majority: Tensor | None = None  # (), those where the most frequent answer is right
    weight: float = 1.0  # of the part in the loss of a step

    def part_of_loss(self, count: int) -> Tensor:
        """Return what the part adds to the loss of a step with `count` such predictions."""
        return self.weight * self.loss / max(count, 1)


class TokenHead(nn.Module, ABC):
    """Maps states to tokens, and scores them at target positions only."""

    smooths: ClassVar[bool] = True  # whether `score` can smooth targets

    @abstractmethod
    def forward(self, states: Tensor) -> Tensor:
        """Map states (..., D) to logits (..., V)."""

    @abstractmethod
    def score(self, states: Tensor, targets: Tensor, smoothing: float = 0.0) -> Score:
        """Score the states (M, D) against the ids (M,) of their positions.

        Args:
            states: of the backbone.
            targets: ids.
            smoothing: share of a target's probability that all tokens divide (label smoothing).
        """

    def as_layers(self) -> nn.Module:
        """Return the same map with its large matrices in `nn.Linear` layers; weights are shared."""
        return self
