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
from foretext.training.parameters import Parameters
from foretext.training.segment import Segment

__all__ = ["FlatOptimizer", "Rule", "Step"]


class Step(NamedTuple):
    """What a rule needs to know of a step."""

    number: int  # the first is 1
    learning_rate: float
    scale: float | Tensor  # of gradients, from clipping
    broken: Tensor | None = None  # (), 1: a gradient is no number, and nothing is to move; else 0


class Rule(Protocol):
    """Moves some of the segments against their gradients."""

    segments: Sequence[Segment]  # those it moves, in the own slice
    works_ahead: bool  # whether the scale of a step may still be in the making

    def move(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        """Move masters and copies of its segments by flat gradients, float32 or bfloat16."""

    def state(self) -> dict[str, Tensor]:
        """Return what it remembers, as `Parameters.by_name` does."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Remember what `state` returned."""


class FlatOptimizer:
    """Moves flat parameters, each by one rule; the same gradients give the same bits.

    A parameter without a gradient stays as it is.

    Args:
        parameters: what is learned.
        rules: each for its segments.
        clip_norm: gradients that are longer are scaled down to this norm, all by one factor.
    """

    def __init__(
        self, parameters: Parameters, rules: Sequence[Rule], clip_norm: float | None = None
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

    def gathered(self, place: slice) -> Tensor:
        """Return a slice of the float32 vector of all that was gathered."""
        vector = self.parameters.master.new_zeros(place.stop - place.start)
        for segment, gradient in self._gradients.items():
            part = segment.cut(place)
            if part is not None:
                part.fill(vector, gradient)
        return vector

    def take(self, gradients: Mapping[Segment, Tensor]) -> None:
        """Have the step taken by these, of the own slice, and not by what was gathered."""
        self._gradients = dict(gradients)

    def step(self, learning_rate: float) -> float | Tensor:
        """Take a step by what was gathered; returns the gradients' norm before clipping.

        Where the norm is not a finite number no weight is changed. On a GPU it is a tensor, which
        the GPU computes later than this returns; whoever reads it waits. With such a tensor
        `num_steps` counts the step even where nothing moves, so that the bias correction of AdamW
        is one step ahead from then on; with a number the step is not counted.
        """
        norm = self._norm()
        if torch.is_tensor(norm):
            self._move(learning_rate, self._scale_of(norm), (~torch.isfinite(norm)).float())
        elif math.isfinite(norm):
            self._move(learning_rate, self._scale(norm))
        self._gradients.clear()
        return norm

    def _move(
        self, learning_rate: float, scale: float | Tensor, broken: Tensor | None = None
    ) -> None:
        self.num_steps += 1
        step = Step(self.num_steps, learning_rate, scale, broken)
        for rule in self.rules:
            given = {s: self._gradients[s] for s in rule.segments if s in self._gradients}
            rule.move(given, step)
        self.parameters.share()

    def state(self) -> dict[str, Tensor]:
        """Return all that a resumed run needs to end in the same bits, with any processes.

        Tensors are whole, as `Parameters.by_name` returns them.
        """
        state = {f"weight.{name}": value for name, value in self.parameters.values().items()}
        for rule in self.rules:
            state |= rule.state()
        return {**state, "num_steps": torch.tensor(self.num_steps)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to where `state` was taken, parameters included.

        Raises:
            KeyError: a name is missing.
        """
        names = [part.name for part in self.parameters.own]
        self.parameters.load({name: state[f"weight.{name}"] for name in names})
        for rule in self.rules:
            rule.load_state(state)
        self.num_steps = int(state["num_steps"])

    def copy(self, sources: Mapping[str, str]) -> None:
        """Give parameters the values of others, and what the rules remember of these.

        Args:
            sources: by the name of a parameter, that of the one it is a copy of from now on.
        """
        state = self.state()
        copied = {}
        for key in state:
            kind, _, name = key.partition(".")
            if name in sources:
                copied[key] = state[f"{kind}.{sources[name]}"].clone()
        self.load_state({**state, **copied})

    def _scale(self, norm: float) -> float:
        return min(1.0, self.clip_norm / (norm + 1e-6)) if self.clip_norm else 1.0

    def _scale_of(self, norm: Tensor) -> float | Tensor:
        return (self.clip_norm / (norm + 1e-6)).clamp(max=1.0) if self.clip_norm else 1.0

    def _norm(self) -> float | Tensor:
        if self.parameters.master.device.type == "cpu":
            return self._norm_by_kernel()
        norm = self._norm_by_torch()
        if self._works_ahead:
            return norm
        return self._whole_norm(float(norm) ** 2)

    @property
    def _works_ahead(self) -> bool:
        """Whether nobody has to know the norm before the next step begins."""
        is_alone = self.parameters.shard.count == 1
        on_gpu = self.parameters.master.device.type == "cuda"
        return on_gpu and is_alone and all(rule.works_ahead for rule in self.rules)

    def _norm_by_kernel(self) -> float:
        team = torch_team()
        square = sum(squares(team, flat_view(each)) for each in self._gradients.values())
        return self._whole_norm(square)

    def _norm_by_torch(self) -> Tensor:
        """Put the gradients one after another in float32, too.

        To begin a piece of work takes a GPU longer than the work on a bias does.
        """
        if not self._gradients:
            return self.parameters.master.new_zeros(())
        joined = torch.cat(list(self._gradients.values())).float()
        parts = torch.split(joined, [len(each) for each in self._gradients.values()])
        self._gradients = dict(zip(self._gradients, parts, strict=True))
        norm: Tensor = torch.linalg.vector_norm(joined)
        return norm

    def _whole_norm(self, square: float) -> float:
        device = self.parameters.master.device
        return math.sqrt(self.parameters.shard.total(square, device))
