"""Which layers of a model learn, and at what share of the learning rate.

The lower a layer, the more general is what it knows, and the less a task should change of it:
discriminative rates (Howard and Ruder 2018, section 3.2), by one factor a layer (Sun et al. 2019).
"""

from __future__ import annotations

import re

from torch import nn

from foretext.errors import SettingError
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["BACKBONE", "depths", "freeze", "rates"]

EMBEDDINGS = ("tokens.", "segments.", "positions.", "embedding_norm.")
BACKBONE = "backbone."  # what the names of its parameters begin with in a model


def depths(backbone: nn.Module) -> dict[str, int]:
    """Return how deep each parameter lies: embeddings 0, the first block 1, and so on.

    What stands behind the blocks is as deep as the last one; without blocks there is one layer.
    """
    parameters = dict(backbone.named_parameters())
    found = {name: re.match(r"blocks\.(\d+)\.", name) for name in parameters}
    blocks = {name: int(match[1]) + 1 for name, match in found.items() if match}
    top = max(blocks.values(), default=1)
    token_vectors = getattr(backbone, "embedding", None)  # an autoencoder has none
    return {
        name: 0
        if parameter is token_vectors or name.startswith(EMBEDDINGS)
        else blocks.get(name, top)
        for name, parameter in parameters.items()
    }


def rates(model: Model, config: TrainingConfig) -> dict[str, float]:
    """Return each parameter's factor on the learning rate.

    Raises:
        SettingError: `head_rate` has no effect.
    """
    deep = {BACKBONE + name: depth for name, depth in depths(model.backbone).items()}
    names = [name for name, _ in model.named_parameters()]
    if config.head_rate != 1 and set(names) <= set(deep):
        raise SettingError(
            f"[training] head_rate would have no effect: {type(model.objective).__name__} has no "
            "weights of its own."
        )
    above = max(deep.values()) + 1
    return {
        name: config.layer_decay ** (above - deep[name]) if name in deep else config.head_rate
        for name in names
    }


def freeze(model: Model, config: TrainingConfig) -> list[nn.Parameter]:
    """Have the lower layers learn nothing; returns the parameters that were learned until now.

    Raises:
        SettingError: there is nothing to freeze, or nothing would be left to learn.
    """
    depths_frozen = _frozen_depths(model, config)
    if not depths_frozen:
        return []
    deep = depths(model.backbone)
    frozen = [
        parameter
        for name, parameter in model.backbone.named_parameters()
        if deep[name] in depths_frozen and parameter.requires_grad
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


def _frozen_depths(model: Model, config: TrainingConfig) -> range:
    """Depths of all that is to be frozen."""
    deep = depths(model.backbone).values()
    backbone, top = type(model.backbone).__name__, max(deep)
    if config.freeze_layers and config.freeze_layers >= top:
        raise SettingError(
            f"[training] freeze_layers = {config.freeze_layers}: {backbone} has {top} in all; "
            "freeze = 'backbone' freezes every one."
        )
    if config.freeze == "embeddings" and 0 not in deep:
        raise SettingError(f"[training] freeze = 'embeddings': {backbone} has none.")
    if config.freeze == "backbone":
        return range(top + 1)
    embeddings = config.freeze == "embeddings" or config.freeze_layers > 0
    return range(config.freeze_layers + embeddings)
