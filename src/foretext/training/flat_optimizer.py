"""Gathers gradients, clips their norm, and has rules move flat parameters by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from foretext.kernels.adamw import squares
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view
from foretext.training.flat_parameters import FlatParameters, Segment

__all__ = ["FlatOptimizer", "Rule", "Step"]


class Step(NamedTuple):
    """What rules are told of a step."""

    number: int  # the first is 1
    learning_rate: float
    scale: float  # of gradients, from clipping


class Rule(Protocol):
    """Moves some of the segments against their gradients."""

    segments: Sequence[Segment]  # those it moves

    def move(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        """Move masters and copies of its segments by flat gradients, float32 or bfloat16."""

    def state(self) -> dict[str, Tensor]:
        """Return what it remembers, as views."""


class FlatOptimizer:
    """Moves flat parameters, each by one rule; the same gradients give the same bits.

    A parameter without a gradient stays as it is.

    Args:
        parameters: what is learned.
        rules: each for its segments.
        clip_norm: gradients that are longer are scaled down to this norm, all by one factor.
    """

    def __init__(
        self, parameters: FlatParameters, rules: Sequence[Rule], clip_norm: float | None = None
    ) -> None:
        self.parameters = parameters
        self.rules, self.clip_norm = rules, clip_norm
        self.num_steps = 0
        self._gradients: dict[Segment, Tensor] = {}

    def gather(self) -> None:
        """Take the gradients from the parameters; those of several backwards are added in float32.

        bfloat16 would lose the small gradients of a micro-batch in the sum of many.
        """
        for segment in self.parameters.segments:
            gradient = segment.parameter.grad
            if gradient is None:
                continue
            earlier = self._gradients.get(segment)
            gradient = gradient.contiguous().view(-1)
            self._gradients[segment] = (
                gradient if earlier is None else earlier.float().add_(gradient)
            )
            segment.parameter.grad = None

    def gathered(self) -> Tensor:
        """Return one float32 vector of all that was gathered, to be summed over processes.

        The step is then taken by what stands in it.
        """
        whole = torch.zeros_like(self.parameters.master)
        for segment, gradient in self._gradients.items():
            whole[segment.place] = gradient
        self._gradients = {segment: whole[segment.place] for segment in self.parameters.segments}
        return whole

    def step(self, learning_rate: float) -> float:
        """Take a step by what was gathered; returns the gradients' norm before clipping.

        Where the norm is not a finite number nothing is changed.
        """
        norm = self._norm()
        if math.isfinite(norm):
            self.num_steps += 1
            scale = min(1.0, self.clip_norm / (norm + 1e-6)) if self.clip_norm else 1.0
            step = Step(self.num_steps, learning_rate, scale)
            for rule in self.rules:
                given = {s: self._gradients[s] for s in rule.segments if s in self._gradients}
                rule.move(given, step)
        self._gradients.clear()
        return norm

    def state(self) -> dict[str, Tensor]:
        """Return all that a resumed run needs to go on in the same bits; tensors are views."""
        state = {f"weight.{name}": value for name, value in self.parameters.values().items()}
        for rule in self.rules:
            state |= rule.state()
        return {**state, "num_steps": torch.tensor(self.num_steps)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to where `state` was taken, parameters included.

        Raises:
            KeyError: a name is missing.
        """
        for name, tensor in self.state().items():
            tensor.copy_(state[name])
        self.num_steps = int(state["num_steps"])
        self.parameters.refresh()

    def _norm(self) -> float:
        gradients = self._gradients.values()
        if self.parameters.master.device.type == "cpu":
            team = torch_team()
            return math.sqrt(sum(squares(team, flat_view(gradient)) for gradient in gradients))
        norms = [torch.linalg.vector_norm(g, dtype=torch.float32) for g in gradients]
        return float(torch.linalg.vector_norm(torch.stack(norms))) if norms else 0.0
