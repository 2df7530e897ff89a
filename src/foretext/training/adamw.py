"""AdamW on float32 masters.

Loshchilov and Hutter 2019, algorithm 2; in float32 the same numbers as torch.optim.AdamW. A step
reads and writes everything once: on a CPU by `foretext.kernels.adamw`, elsewhere by PyTorch's fused
step.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.optim import adamw as torch_adamw

from foretext.kernels.adamw import Factors, Moments, adamw
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view
from foretext.training.flat_optimizer import Step
from foretext.training.parameters import Parameters
from foretext.training.segment import Segment

__all__ = ["AdamW"]


class AdamW:
    """Moves segments of flat parameters; biases and norms do not decay.

    Args:
        parameters: what is learned.
        segments: those to be moved; None: all.
        betas: how much of the running means of gradients and of their squares is kept.
        eps: added to the root of the squares.
        weight_decay: times the learning rate, what matrices lose of themselves a step.
    """

    works_ahead = True

    def __init__(
        self,
        parameters: Parameters,
        segments: Sequence[Segment] | None = None,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        self.parameters = parameters
        self.names = {s.name for s in (parameters.segments if segments is None else segments)}
        self.segments: Sequence[Segment] = [p for p in parameters.own if p.name in self.names]
        self.betas, self.eps, self.weight_decay = betas, eps, weight_decay
        self.mean = torch.zeros_like(parameters.master)
        self.square = torch.zeros_like(parameters.master)

    def move(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        """Move each segment that has a gradient."""
        on_cpu = self.parameters.master.device.type == "cpu"
        (self._move_by_kernel if on_cpu else self._move_by_torch)(gradients, step)

    def state(self) -> dict[str, Tensor]:
        """Return the running means, as `Parameters.by_name` does."""
        return {
            f"{kind}.{name}": value
            for kind, vector in (("mean", self.mean), ("square", self.square))
            for name, value in self.parameters.by_name(vector).items()
            if name in self.names
        }

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the running means in `state`."""
        for part in self.segments:
            part.fill(self.mean, state[f"mean.{part.name}"])
            part.fill(self.square, state[f"square.{part.name}"])

    def _factors(self, segment: Segment, step: Step) -> Factors:
        beta1, beta2 = self.betas
        learning_rate = step.learning_rate * segment.rate
        return Factors(
            scale=float(step.scale),
            keep=1 - learning_rate * self.weight_decay if segment.decays else 1.0,
            new_mean=1 - beta1,
            old_square=beta2,
            new_square=1 - beta2,
            step=learning_rate / (1 - beta1**step.number),
            root_scale=1 / math.sqrt(1 - beta2**step.number),
            epsilon=self.eps,
        )

    def _move_by_kernel(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        master, copy = self.parameters.master, self.parameters.copy
        if copy is master:
            copy = torch.empty(0, dtype=torch.bfloat16)
        moments = Moments(*map(flat_view, (master, self.mean, self.square, copy)))
        team = torch_team()
        for segment, gradient in gradients.items():
            factors = self._factors(segment, step)
            adamw(team, flat_view(gradient), moments, segment.offset, factors)

    def _move_by_torch(self, gradients: Mapping[Segment, Tensor], step: Step) -> None:
        master, beta1, beta2 = self.parameters.master, *self.betas
        divisor = 1 / step.scale  # of gradients
        alike: dict[tuple[float, bool], list[Segment]] = defaultdict(list)
        for segment in gradients:
            alike[segment.rate, segment.decays].append(segment)
        for (rate, decays), segments in alike.items():
            torch_adamw.adamw(
                [master[each.place] for each in segments],
                [gradients[each].float() for each in segments],
                [self.mean[each.place] for each in segments],
                [self.square[each.place] for each in segments],
                [],
                list(master.new_full((len(segments),), step.number - 1).unbind()),
                fused=True,
                grad_scale=divisor if torch.is_tensor(divisor) else master.new_full((), divisor),
                found_inf=step.broken,
                amsgrad=False,
                beta1=beta1,
                beta2=beta2,
                lr=step.learning_rate * rate,
                weight_decay=self.weight_decay if decays else 0.0,
                eps=self.eps,
                maximize=False,
            )
        self.parameters.refresh()
