"""Models in foretext's own words: what stands under "foretext" in a config.json.

It says what their settings cannot, and all where no family has such a model.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from torch import Tensor

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.config import Config
from foretext.errors import ModelFileError, SettingError
from foretext.interop.config_file import read_vocab_size
from foretext.interop.loaded import Network
from foretext.interop.rows import Row
from foretext.interop.transfer import fill_weights, named_weights, renamed_weights
from foretext.interop.undrawn import undrawn
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.registry import Registry
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "KEY",
    "MODEL_TYPE",
    "Part",
    "config_of",
    "load_own",
    "own_part",
    "own_settings",
    "own_weights",
    "read_part",
]

KEY = "foretext"
MODEL_TYPE = "foretext"  # of folders that no family has


class _Configured(Protocol):
    config: Config


class Part(NamedTuple):
    """A class of ours, and its settings."""

    component: Any
    config: Any


def config_of(part: Backbone | Objective) -> Config:
    """Return the settings that a component was made with."""
    return cast(_Configured, part).config


def own_settings(
    backbone: Backbone, objective: Objective | None, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what stands under "foretext"."""
    return {
        "backbone": _described(BACKBONES, backbone),
        "objective": None if objective is None else _described(OBJECTIVES, objective),
        "facts": dict(facts),
    }


def own_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under "foretext"; nothing where there is no such key."""
    own = config.get(KEY)
    return own if isinstance(own, dict) else {}


def read_part(registry: Registry, own: Mapping[str, Any], path: Path) -> Part | None:
    """Return what is said of a backbone or an objective; None where nothing is.

    Raises:
        ModelFileError: it names a class or a setting that is not there.
    """
    said = own.get(registry.section)
    if not isinstance(said, dict):
        return None
    settings = dict(said)
    name = str(settings.pop("name", None))
    module = name.partition(":")[0]
    if name not in registry and module not in sys.modules:
        raise ModelFileError(  # a folder from elsewhere must not choose what is imported
            f"{path}: [{registry.section}] is '{name}', which is none of foretext's; import "
            f"{module} first."
        )
    try:
        component = registry.resolve(name)
        return Part(component, component.Config.checked(settings, registry.section))
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error


def own_weights(backbone: Backbone, objective: Objective | None) -> dict[str, Tensor]:
    """Return the weights under our names, float32 on the CPU."""
    ours = named_weights(backbone, objective)
    return renamed_weights(ours, _same_names(ours), _always)


def load_own(
    config: Mapping[str, Any],
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: SubwordTokenizer,
) -> Network:
    """Make the model of a folder that no family has.

    Raises:
        ModelFileError: what config.json says does not fit foretext or the weights.
    """
    own = own_part(config)
    backbone_part = read_part(BACKBONES, own, config_path)
    objective_part = read_part(OBJECTIVES, own, config_path)
    if backbone_part is None:
        raise ModelFileError(f'{config_path} says nothing of a backbone under "{KEY}".')
    vocab_size = read_vocab_size(dict(config), config_path)
    with undrawn():
        backbone = backbone_part.component(backbone_part.config, vocab_size)
        objective = objective_part and objective_part.component(
            objective_part.config, backbone, tokenizer
        )
    ours = named_weights(backbone, objective)
    fill_weights(ours, _same_names(ours), _always, weights, r"", weight_path)
    return Network(backbone, objective, objective.visibility if objective else "full")


def _described(registry: Registry, part: Backbone | Objective) -> dict[str, Any]:
    settings = config_of(part).model_dump(mode="json")
    return {"name": registry.name_of(type(part)), **settings}


def _same_names(weights: Mapping[str, Tensor]) -> list[Row]:
    return [Row(name, (name,)) for name in weights]


def _always(flag: str) -> bool:
    return True
