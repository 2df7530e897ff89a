"""What the loop asks of an optimizer: to gather gradients, to step, to be saved and given back."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from foretext.training.adamw import FlatAdamW
from foretext.training.fine_tuning import freeze, rates
from foretext.training.flat_parameters import FlatParameters
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig

__all__ = ["Optimizer"]


class Optimizer:
    """AdamW over the fp32 masters of a model that computes in `dtype`.

    Args:
        model: whose parameters it takes over until `release`.
        config: the user's settings.
        dtype: float32 or bfloat16.
        processes: whose gradients are summed.
    """

    def __init__(
        self, model: Model, config: TrainingConfig, dtype: torch.dtype, processes: Processes
    ) -> None:
        self._frozen = freeze(model, config)
        self.parameters = FlatParameters(model, dtype, rates(model, config))
        self.inner = FlatAdamW(
            self.parameters,
            betas=(config.beta1, config.beta2),
            eps=config.eps,
            weight_decay=config.weight_decay,
            clip_norm=config.clip_norm,
        )
        self.processes = processes
        self._kept: Tensor | None = None

    def gather(self) -> None:
        """Add the gradients of a micro-batch to those of the step."""
        self.inner.gather()

    def step(self, learning_rate: float) -> float:
        """Update the weights; returns the norm of the gradient before it was clipped."""
        if self.processes.size > 1:
            self.processes.sum([self.inner.gathered()])
        return self.inner.step(learning_rate)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything that a resumed training needs."""
        arrays = {name: tensor.cpu().numpy() for name, tensor in self.inner.state().items()}
        return arrays if self._kept is None else {**arrays, "best": self._kept.cpu().numpy()}

    def load_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `arrays` gave."""
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self.inner.load_state(tensors)
        if "best" in tensors:
            self._kept = tensors["best"].to(self.parameters.master.device)

    def keep_weights(self) -> None:
        """Remember the weights as they are: they are the best so far."""
        self._kept = self.parameters.master.clone()

    def restore_weights(self) -> None:
        """Go back to the weights that were remembered."""
        if self._kept is not None:
            self.parameters.master.copy_(self._kept)
            self.parameters.refresh()

    def release(self) -> None:
        """Give the model its fp32 weights back, none of them frozen: the training is over."""
        self.parameters.release()
        for parameter in self._frozen:
            parameter.requires_grad_(True)
