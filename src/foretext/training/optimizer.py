"""Updates of the weights, which are fp32 however the network computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from foretext.training.settings import TrainingConfig

__all__ = ["Optimizer", "make_optimizer"]


def make_optimizer(model: nn.Module, config: TrainingConfig, dtype: torch.dtype) -> Optimizer:
    """Take over the weights of a model, and have it compute in `dtype` from here on."""
    return Optimizer(model, config, dtype)


class Optimizer:
    """AdamW over fp32 masters of a model's parameters (Loshchilov & Hutter 2019).

    Weights of one dimension, norms and biases, do not decay.
    """

    def __init__(self, model: nn.Module, config: TrainingConfig, dtype: torch.dtype) -> None:
        self.config = config
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self.names = [name for name, _ in named]
        self.parameters: list[Tensor] = [parameter for _, parameter in named]
        self.masters: list[Tensor] = [
            nn.Parameter(p.detach().float().clone()) for p in self.parameters
        ]
        for parameter in model.parameters():
            parameter.data = parameter.data.to(dtype)
        decayed = [master for master in self.masters if master.ndim > 1]
        others = [master for master in self.masters if master.ndim <= 1]
        self.inner = torch.optim.AdamW(
            [
                {"params": decayed, "weight_decay": config.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            lr=config.learning_rate,
            betas=(config.beta1, config.beta2),
            eps=config.eps,
            fused=True,
        )
        self._kept: list[Tensor] | None = None

    def gather(self) -> None:
        """Add the gradient of a micro-batch to that of the step."""
        for master, parameter in zip(self.masters, self.parameters, strict=True):
            if parameter.grad is None:
                continue
            gradient = parameter.grad.float()
            master.grad = gradient if master.grad is None else master.grad.add_(gradient)
            parameter.grad = None

    def step(self, learning_rate: float) -> float:
        """Update the weights; returns the norm of the gradient before it was clipped."""
        limit = self.config.clip_norm or float("inf")
        norm = float(nn.utils.clip_grad_norm_(self.masters, limit))
        for group in self.inner.param_groups:
            group["lr"] = learning_rate
        self.inner.step()
        self.inner.zero_grad()
        self._publish()
        return norm

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything that a resumed training needs."""
        arrays = {}
        for name, master in zip(self.names, self.masters, strict=True):
            arrays[f"weight.{name}"] = master.detach().cpu().numpy()
            for key, value in self.inner.state.get(master, {}).items():
                arrays[f"{key}.{name}"] = value.cpu().numpy()
        return arrays

    def load_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `arrays` gave."""
        with torch.no_grad():
            for name, master in zip(self.names, self.masters, strict=True):
                master.copy_(torch.from_numpy(arrays[f"weight.{name}"]))
                state: dict[str, Any] = self.inner.state[master]
                for key in ("step", "exp_avg", "exp_avg_sq"):
                    if f"{key}.{name}" in arrays:
                        array = torch.from_numpy(np.array(arrays[f"{key}.{name}"]))
                        state[key] = array if key == "step" else array.to(master.device)
        self._publish()

    def keep_weights(self) -> None:
        """Remember the weights as they are."""
        self._kept = [master.detach().clone() for master in self.masters]

    def restore_weights(self) -> None:
        """Go back to the weights that were remembered."""
        if self._kept is not None:
            with torch.no_grad():
                torch._foreach_copy_(self.masters, self._kept)
            self._publish()

    def release(self) -> None:
        """Give the model the fp32 weights: the training is over."""
        for parameter, master in zip(self.parameters, self.masters, strict=True):
            parameter.data = master.detach()

    @torch.no_grad()
    def _publish(self) -> None:
        torch._foreach_copy_(self.parameters, self.masters)
