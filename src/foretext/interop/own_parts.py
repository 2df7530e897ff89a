"""Components in a config.json: their names and settings under "foretext", and back.

A folder from elsewhere cannot choose what is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from foretext.backbones.base import Backbone
from foretext.config import Config
from foretext.errors import ModelFileError, SettingError
from foretext.objectives.base import Question
from foretext.registry import Registry

__all__ = ["KEY", "Part", "config_of", "described", "own_part", "read_part"]

KEY = "foretext"


class _Configured(Protocol):
    config: Config


class Part(NamedTuple):
    """A class of ours, and its settings."""

    component: Any
    config: Any


def config_of(part: Backbone | Question) -> Config:
    """Return the settings that a component was made with."""
    return cast(_Configured, part).config


def described(registry: Registry, part: Backbone | Question) -> dict[str, Any]:
    """Return the name and the settings of a component, as `read_part` reads them."""
    settings = config_of(part).model_dump(mode="json")
    return {"name": registry.name_of(type(part)), **settings}


def own_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under "foretext"; nothing where there is no such key."""
    own = config.get(KEY)
    return own if isinstance(own, dict) else {}


def read_part(registry: Registry, own: Mapping[str, Any], path: Path) -> Part | None:
    """Return what is said of a component; None where nothing is.

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
    except AttributeError as error:
        raise ModelFileError(f"{path}: '{name}' is no {registry.section}.") from error
