"""Which layers of a model learn, and at what share of the learning rate.

The lower a layer, the more general is what it has learned, and the less a task should change it:
discriminative rates (Howard and Ruder 2018, section 3.2), by one factor a layer (Sun et al. 2019).
"""

from __future__ import annotations

from torch import nn

from foretext.backbones.trainable import Trainable
from foretext.base.errors import SettingError
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["BACKBONE", "freeze", "layers_of", "rates"]

BACKBONE = "backbone."  # what the names of its parameters begin with in a model


def layers_of(backbone: Trainable) -> dict[str, int]:
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


def _frozen_vectors(backbone: Trainable, config: TrainingConfig) -> nn.Parameter | None:
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
