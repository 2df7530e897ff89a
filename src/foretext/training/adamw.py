"""AdamW on float32 masters, with the norm of the gradients clipped on the way.

Loshchilov and Hutter 2019, algorithm 2; in float32 the same numbers as torch.optim.AdamW. On a CPU
a step reads the gradients twice and everything else once (`foretext.kernels.adamw`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from foretext.kernels.adamw import Factors, Moments, adamw, squares
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view
from foretext.training.flat_parameters import FlatParameters, Segment

__all__ = ["FlatAdamW"]


class FlatAdamW:
    """Moves flat parameters against their gradients; biases and norms do not decay.

    A parameter without a gradient stays as it is. The same gradients give the same bits, whatever
    the number of threads.

    Args:
        parameters: what is learned.
        betas: how much of the running means of gradients and of their squares is kept.
        eps: added to the root of the squares.
        weight_decay: times the learning rate, what matrices lose of themselves a step.
        clip_norm: gradients that are longer are scaled down to this norm, all by one factor.
    """

    def __init__(
        self,
        parameters: FlatParameters,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        clip_norm: float | None = None,
    ) -> None:
        self.parameters = parameters
        self.betas, self.eps = betas, eps
        self.weight_decay, self.clip_norm = weight_decay, clip_norm
        self.num_steps = 0
        self.mean = torch.zeros_like(parameters.master)
        self.square = torch.zeros_like(parameters.master)
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
            on_cpu = self.parameters.master.device.type == "cpu"
            (self._step_kernel if on_cpu else self._step_torch)(learning_rate, norm)
        self._gradients.clear()
        return norm

    def state(self) -> dict[str, Tensor]:
        """Return all that a resumed run needs to go on in the same bits; tensors are views."""
        vectors = {"weight": self.parameters.master, "mean": self.mean, "square": self.square}
        state = {
            f"{kind}.{segment.name}": segment.view(vector)
            for kind, vector in vectors.items()
            for segment in self.parameters.segments
        }
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

    def _factors(self, segment: Segment, learning_rate: float, norm: float) -> Factors:
        beta1, beta2 = self.betas
        learning_rate *= segment.rate
        return Factors(
            scale=min(1.0, self.clip_norm / (norm + 1e-6)) if self.clip_norm else 1.0,
            keep=1 - learning_rate * self.weight_decay if segment.decays else 1.0,
            new_mean=1 - beta1,
            old_square=beta2,
            new_square=1 - beta2,
            step=learning_rate / (1 - beta1**self.num_steps),
            root_scale=1 / math.sqrt(1 - beta2**self.num_steps),
            epsilon=self.eps,
        )

    def _step_kernel(self, learning_rate: float, norm: float) -> None:
        master, working = self.parameters.master, self.parameters.working
        copy = working if working is not master else torch.empty(0, dtype=torch.bfloat16)
        moments = Moments(*map(flat_view, (master, self.mean, self.square, copy)))
        team = torch_team()
        for segment, gradient in self._gradients.items():
            factors = self._factors(segment, learning_rate, norm)
            adamw(team, flat_view(gradient), moments, segment.offset, factors)

    def _step_torch(self, learning_rate: float, norm: float) -> None:
        """Do the same with torch's operations."""
        for segment, gradient in self._gradients.items():
            factors = self._factors(segment, learning_rate, norm)
            vectors = (self.parameters.master, self.mean, self.square)
            p, m, v = (vector[segment.place] for vector in vectors)
            g = gradient.float() * factors.scale
            m.lerp_(g, factors.new_mean)
            v.mul_(factors.old_square).addcmul_(g, g, value=factors.new_square)
            below = v.sqrt().mul_(factors.root_scale).add_(factors.epsilon)
            p.mul_(factors.keep).addcdiv_(m, below, value=-factors.step)
        self.parameters.refresh()
