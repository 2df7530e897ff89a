"""Names and settings of components under "foretext" in a config.json, written and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError
from foretext.interop.own_settings import KEY, own_part
from foretext.objectives.criterion import Criterion

__all__ = ["KEY", "Part", "Resolve", "config_of", "described", "own_part", "read_part"]

Resolve = Callable[[str, Path], Any]  # from a name, and the file that says it, to a class


class _Configured(Protocol):
    config: Config


class Part(NamedTuple):
    """A component that a config.json names."""

    name: str
    component: Any  # its class
    config: Any


def config_of(part: Backbone | Criterion) -> Config:
    """Return the settings that a component was made with."""
    return cast(_Configured, part).config


def described(name: str, part: Backbone | Criterion) -> dict[str, Any]:
    """Return the name and the settings of a component, as `read_part` reads them."""
    return {"name": name, **config_of(part).model_dump(mode="json")}


def read_part(own: Mapping[str, Any], section: str, resolve: Resolve, path: Path) -> Part | None:
    """Return the component of a section; None where config.json names none.

    Args:
        own: the value of "foretext".
        section: such as "backbone".
        resolve: finds the class.
        path: of config.json.

    Raises:
        ModelFileError: it names a class or a setting that does not exist.
        UntrustedError: it names a module that is neither foretext's nor trusted.
    """
    found = own.get(section)
    if found is None:
        return None
    settings = dict(found)
    name = settings.pop("name", None)
    if not isinstance(name, str):
        raise ModelFileError(f"{path}: [{section}] name = {name!r} is not a name.")
    try:
        component = resolve(name, path)
        return Part(name, component, component.Config.checked(settings, section))
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except AttributeError as error:  # a trusted module has it, but it is another kind of class
        raise ModelFileError(f"{path}: '{name}' is no {section}.") from error
