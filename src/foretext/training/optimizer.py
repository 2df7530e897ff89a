"""The optimizer of the loop: it gathers gradients, steps, and is saved and restored.

Which layers of a model learn, and at what share of the learning rate. The lower a layer, the more
general is what it has learned, and the less a task should change it: discriminative rates (Howard
and Ruder 2018, section 3.2), by one factor a layer (Sun et al. 2019).
"""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.training.adamw import AdamW
from foretext.training.flat_optimizer import FlatOptimizer, Rule
from foretext.training.flat_parameters import FlatParameters
from foretext.training.model import Model
from foretext.training.muon import Muon
from foretext.training.parameters import Parameters
from foretext.training.processes import Processes
from foretext.training.segment import Segment
from foretext.training.settings import TrainingConfig
from foretext.training.sharded_parameters import ShardedParameters

__all__ = ["Optimizer", "freeze", "is_fully_sharded", "layers_of", "rates"]

BACKBONE = "backbone."  # what the names of its parameters begin with in a model


class Optimizer:
    """AdamW, or Muon for the blocks' matrices, over the fp32 masters of a model.

    Args:
        model: whose parameters it takes over until `release`.
        config: the user's settings.
        dtype: what the model computes with, float32 or bfloat16.
        processes: whose gradients are summed; with `sharding` each keeps and moves its share.

    Attributes:
        network: what computes until `release`; with full sharding another one than the model.

    Raises:
        SettingError: a setting has no effect on this model, or leaves nothing to learn.
    """

    def __init__(
        self, model: Model, config: TrainingConfig, dtype: torch.dtype, processes: Processes
    ) -> None:
        self._frozen = freeze(model, config)
        self.parameters = _parameters(model, config, dtype, processes)
        self.network = cast(Model, self.parameters.network)
        rules = _rules(model, self.parameters, config)
        self.inner = FlatOptimizer(self.parameters, rules, config.clip_norm)
        self.processes = processes
        self._kept: Tensor | None = None

    def gather(self) -> None:
        """Add the gradients of a micro-batch to those of the step."""
        if not self.parameters.sums_gradients:
            self.inner.gather()

    def step(self, learning_rate: float) -> float | Tensor:
        """Update the weights; returns the norm of the gradient before it was clipped.

        On a GPU it is computed later; see `FlatOptimizer.step`.
        """
        if self.processes.size > 1:
            self.inner.take(self.parameters.summed(self.inner.gathered, self.processes))
        return self.inner.step(learning_rate)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a resumed training needs, to the first process; every one must call."""
        state = self.inner.state()
        if self._kept is not None:
            best = self.parameters.by_name(self._kept)
            state |= {f"best.{name}": value for name, value in best.items()}
        if not self.processes.is_first:
            return {}
        return {name: tensor.cpu().numpy() for name, tensor in state.items()}

    def load_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `arrays` gave, in however many processes."""
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self.inner.load_state(tensors)
        if any(name.startswith("best.") for name in tensors):
            self._kept = torch.zeros_like(self.parameters.master)
            for part in self.parameters.own:
                part.fill(self._kept, tensors[f"best.{part.name}"])

    def stack(self, num_layers: int) -> None:
        """Let the layers above the first `num_layers` go on from what these have learned."""
        sources = self.network.backbone.stacked_weights(num_layers)
        self.inner.copy({BACKBONE + name: BACKBONE + source for name, source in sources.items()})

    def keep_weights(self) -> None:
        """Remember the weights as they are: they are the best so far."""
        self._kept = self.parameters.master.clone()

    def restore_weights(self) -> None:
        """Go back to the weights that were remembered."""
        if self._kept is not None:
            self.parameters.master.copy_(self._kept)
            self.parameters.refresh()
            self.parameters.share()

    def release(self) -> None:
        """Give the model its fp32 weights back, none of them frozen: the training is over."""
        self.parameters.release()
        for parameter in self._frozen:
            parameter.requires_grad_(True)


def is_fully_sharded(config: TrainingConfig, processes: Processes) -> bool:
    """Whether no process has the whole weights; in one process the setting has no effect."""
    return config.sharding == "full" and processes.size > 1


def _parameters(
    model: Model, config: TrainingConfig, dtype: torch.dtype, processes: Processes
) -> Parameters:
    if is_fully_sharded(config, processes):
        return ShardedParameters(model, dtype, rates(model, config), processes)
    sharing = processes if config.sharding == "optimizer" else None
    return FlatParameters(model, dtype, rates(model, config), sharing)


def _rules(model: Model, parameters: Parameters, config: TrainingConfig) -> list[Rule]:
    """Return who moves which parameters."""
    betas, decay = (config.beta1, config.beta2), config.weight_decay
    matrices: dict[Segment, int] = {}
    if config.optimizer == "muon":
        counts = {BACKBONE + name: n for name, n in model.backbone.matrices_for_muon().items()}
        matrices = {s: counts[s.name] for s in parameters.segments if s.name in counts}
        if not matrices:
            raise SettingError(
                f"[training] optimizer = 'muon' moves matrices of layers, and no layer of "
                f"{type(model.backbone).__name__} learns; use 'adamw'."
            )
    others = [segment for segment in parameters.segments if segment not in matrices]
    adamw = AdamW(parameters, others, betas=betas, eps=config.eps, weight_decay=decay)
    return (
        [adamw, Muon(cast(FlatParameters, parameters), matrices, weight_decay=decay)]
        if matrices
        else [adamw]
    )


def layers_of(backbone: Backbone) -> dict[str, int]:
    """Return the layer of each parameter: embeddings 0, the first layer 1, and so on."""
    return {name: backbone.layer_of(name) for name, _ in backbone.named_parameters()}


def rates(model: Model, config: TrainingConfig) -> dict[str, float]:
    """Return each parameter's factor on the learning rate.

    Raises:
        SettingError: `head_rate` has no effect.
    """
    layers = {BACKBONE + name: layer for name, layer in layers_of(model.backbone).items()}
    names = [name for name, _ in model.named_parameters()]
    if config.head_rate != 1 and set(names) <= set(layers):
        raise SettingError(
            f"[training] head_rate would have no effect: {type(model.objective).__name__} has no "
            "weights of its own."
        )
    above = max(layers.values()) + 1
    return {
        name: config.layer_decay ** (above - layers[name]) if name in layers else config.head_rate
        for name in names
    }


def freeze(model: Model, config: TrainingConfig) -> list[nn.Parameter]:
    """Freeze the vectors or the lower layers; returns the parameters that were trainable before.

    Raises:
        SettingError: there is nothing to freeze, or nothing would be left to learn.
    """
    backbone, layers = model.backbone, _frozen_layers(model, config)
    vectors = _frozen_vectors(backbone, config)
    frozen = [
        parameter
        for name, parameter in backbone.named_parameters()
        if parameter.requires_grad and (parameter is vectors or backbone.layer_of(name) in layers)
    ]
    learned = [p for p in model.parameters() if p.requires_grad]
    if len(frozen) == len(learned):
        raise SettingError(
            f"[training] freeze = '{config.freeze}' leaves nothing to learn: "
            f"{type(model.objective).__name__} has no weights of its own."
        )
    for parameter in frozen:
        parameter.requires_grad_(False)
    return frozen


def _frozen_vectors(backbone: Backbone, config: TrainingConfig) -> nn.Parameter | None:
    if config.freeze != "vectors":
        return None
    if backbone.embedding is None:
        raise SettingError(f"[training] freeze = 'vectors': {type(backbone).__name__} has none.")
    return backbone.embedding


def _frozen_layers(model: Model, config: TrainingConfig) -> range:
    layers = layers_of(model.backbone).values()
    backbone, top = type(model.backbone).__name__, max(layers)
    if config.freeze_layers and config.freeze_layers >= top:
        raise SettingError(
            f"[training] freeze_layers = {config.freeze_layers}: {backbone} has {top} in all; "
            "freeze = 'backbone' freezes every one."
        )
    if config.freeze == "embeddings" and 0 not in layers:
        raise SettingError(f"[training] freeze = 'embeddings': {backbone} has none.")
    if config.freeze == "backbone":
        return range(top + 1)
    embeddings = config.freeze == "embeddings" or config.freeze_layers > 0
    return range(config.freeze_layers + embeddings)
