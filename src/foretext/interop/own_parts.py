"""Components in a config.json: their names and settings under "foretext", and back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from foretext.backbones.base import Backbone
from foretext.config import Config
from foretext.errors import ModelFileError, SettingError
from foretext.interop.own_settings import KEY, own_part
from foretext.objectives.base import Criterion
from foretext.registry import Registry

__all__ = ["KEY", "Part", "config_of", "described", "own_part", "read_part"]


class _Configured(Protocol):
    config: Config


class Part(NamedTuple):
    """A class of ours, and its settings."""

    component: Any
    config: Any


def config_of(part: Backbone | Criterion) -> Config:
    """Return the settings that a component was made with."""
    return cast(_Configured, part).config


def described(registry: Registry, part: Backbone | Criterion) -> dict[str, Any]:
    """Return the name and the settings of a component, as `read_part` reads them."""
    settings = config_of(part).model_dump(mode="json")
    return {"name": registry.name_of(type(part)), **settings}


def read_part(registry: Registry, own: Mapping[str, Any], path: Path) -> Part | None:
    """Return what is said of a component; None where nothing is.

    Raises:
        ModelFileError: it names a class or a setting that is not there.
        UntrustedError: it names a module that is neither foretext's nor trusted.
    """
    said = own.get(registry.section)
    if said is None:
        return None
    settings = dict(said)
    name = settings.pop("name", None)
    if not isinstance(name, str):
        raise ModelFileError(f"{path}: [{registry.section}] name = {name!r} is no name.")
    try:
        component = registry.resolve(name, source=path)
        return Part(component, component.Config.checked(settings, registry.section))
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except AttributeError as error:  # a module that is trusted, and another kind of class
        raise ModelFileError(f"{path}: '{name}' is no {registry.section}.") from error
