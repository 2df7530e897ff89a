"""Muon: matrices move by the nearest matrix that stretches every direction alike (Jordan 2024).

What remains of a mean of gradients, U S Vᵀ, is about U Vᵀ, so that rare directions are learned as
fast as frequent ones. It is found by matrix products only, a Newton-Schulz iteration. An update is
scaled to the size of one of AdamW's (Liu et al. 2025, "Muon is Scalable for LLM Training", section
2.2), so that one learning rate serves for both.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from foretext.nn.precision import choose_dtype
from foretext.training.flat_optimizer import Step
from foretext.training.flat_parameters import FlatParameters
from foretext.training.segment import Segment

__all__ = ["Muon", "orthogonalized"]

MOMENTUM = 0.95
ROOT_MEAN_SQUARE = 0.2  # of an entry of an AdamW update, in units of the learning rate
NUM_ITERATIONS = 5
A, B, C = 3.4445, -4.7750, 2.0315  # the polynomial that lifts small singular values fastest
EPS = 1e-7


class Muon:
    """Moves matrices of flat parameters, by Nesterov's momentum made orthogonal.

    Args:
        parameters: what is learned.
        matrices: the segments to be moved, and how many matrices stand in each, one over another.
        weight_decay: times the learning rate, what matrices lose of themselves a step.
    """

    works_ahead = False  # a broken gradient would stay in its means

    def __init__(
        self, parameters: FlatParameters, matrices: Mapping[Segment, int], *, weight_decay: float
    ) -> None:
        self.parameters = parameters
        self.segments: Sequence[Segment] = list(matrices)
        self.counts = matrices
        self.weight_decay = weight_decay
        self.dtype = choose_dtype("auto", parameters.master.device)
        self.momentum = {
            segment: torch.zeros_like(segment.view(parameters.master)) for segment in self.segments
        }

    def move(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        """Move each segment that has a gradient."""
        for same in self._by_shape(gradients).values():
            ahead = torch.cat([self._ahead(segment, gradients[segment], step) for segment in same])
            updates = orthogonalized(ahead, self.dtype).float()  # (N, R, C)
            updates *= ROOT_MEAN_SQUARE * math.sqrt(max(updates.shape[1:]))
            parts = torch.split(updates, [self.counts[segment] for segment in same])
            for segment, update in zip(same, parts, strict=True):
                learning_rate = step.learning_rate * segment.rate
                master = segment.view(self.parameters.master)
                master.mul_(1 - learning_rate * self.weight_decay)
                master.sub_(update.reshape(master.shape), alpha=learning_rate)
        self.parameters.refresh(gradients)

    def state(self) -> dict[str, Tensor]:
        """Return the running means, as views."""
        return {f"momentum.{segment.name}": mean for segment, mean in self.momentum.items()}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the running means in `state`."""
        for name, mean in self.state().items():
            mean.copy_(state[name])

    def _ahead(self, segment: Segment, gradient: Tensor, step: Step) -> Tensor:
        """Add a gradient to the mean, and look one gradient further; (n, R, C)."""
        mean = self.momentum[segment]
        gradient = gradient.view(mean.shape).float() * step.scale
        mean.lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp_(mean, MOMENTUM).view(self.counts[segment], -1, mean.shape[1])

    def _by_shape(self, gradients: Mapping[Segment, Tensor]) -> dict[object, list[Segment]]:
        """Group the segments whose matrices are of one shape: products of many are faster."""
        groups: dict[object, list[Segment]] = defaultdict(list)
        for segment in gradients:
            rows, columns = segment.parameter.shape
            groups[rows // self.counts[segment], columns].append(segment)
        return groups


def orthogonalized(matrices: Tensor, dtype: torch.dtype) -> Tensor:
    """Bring the singular values of matrices (N, R, C) to about 1, between 0.6 and 1.2.

    Args:
        matrices: those that are zero stay so.
        dtype: what is computed with; bfloat16 is enough.
    """
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = (x / (torch.linalg.matrix_norm(x, keepdim=True) + EPS)).to(dtype)
    for _ in range(NUM_ITERATIONS):
        gram = x @ x.mT
        polynomial = torch.baddbmm(gram, gram, gram, beta=B, alpha=C)
        x = torch.baddbmm(x, polynomial, x, beta=A)
    return x.mT if tall else x
