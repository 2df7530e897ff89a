"""The sections of a recipe, and the class that checks each one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from foretext.backbones import AUTOENCODERS, BACKBONES
from foretext.base.config import NONE, Config
from foretext.base.errors import SettingError
from foretext.base.registry import Registry, imported
from foretext.kinds import Kind, kinds_of_recipes
from foretext.objectives import OBJECTIVES
from foretext.tokenizers.subwords import SUBWORDS
from foretext.vectors import VECTORS

__all__ = [
    "CORPUS",
    "DATA",
    "TRAINING",
    "DescribedSetting",
    "Owner",
    "Section",
    "Sections",
    "described",
    "kind_of",
    "owners_of",
    "tables_of_sections",
]

Sections = dict[str, dict[str, Any]]
Settings = Mapping[str, Any]

TYPES = {"boolean": "true, false", "integer": "number", "number": "number", "string": "text"}


class Section(NamedTuple):
    """What a section says: the component that it names, if it names one, and its settings."""

    name: str | None
    config: Config

    def settings(self, *, given: bool = False) -> dict[str, Any]:
        """Return the settings, all or those that were given, with the name first."""
        named = {} if self.name is None else {"name": self.name}
        return {**named, **self.config.model_dump(exclude_unset=given)}

    def kept(self) -> dict[str, Any]:
        """Return every setting as TOML keeps it, with the name first."""
        named = {} if self.name is None else {"name": self.name}
        return {**named, **self.config.kept()}


class Owner(Protocol):
    """Who checks a section."""

    @property
    def registry(self) -> Registry | None:
        """The table of the components that the section may name; None: it names none."""

    def checked(self, section: str, settings: Settings, source: Path | None) -> Section:
        """Check the settings; `source` is the file that they come from, or None.

        Raises:
            SettingError: there is no such setting or component, or a value is not allowed.
            UntrustedError: `source` names code from outside foretext.
        """

    def shared(self, settings: Settings, name: str) -> dict[str, Any]:
        """Return those of the settings that another component of the section has too."""

    def path(self, settings: Settings) -> str:
        """Return the path of the class that checks the settings; nothing is imported."""


@dataclass(frozen=True)
class OneClass:
    """A section for one class."""

    registry: ClassVar[None] = None
    target: str  # "module:Class", imported when the section is checked

    def checked(self, section: str, settings: Settings, source: Path | None) -> Section:
        """Check the settings by the class."""
        config: type[Config] = imported(self.target)
        return Section(None, config.checked(dict(settings), section))

    def shared(self, settings: Settings, name: str) -> dict[str, Any]:
        """Return all of them."""
        return dict(settings)

    def path(self, settings: Settings) -> str:
        """Return ``"module:Class"``."""
        return self.target


@dataclass(frozen=True)
class Table:
    """A section that names a component of a table."""

    registry: Registry

    def checked(self, section: str, settings: Settings, source: Path | None) -> Section:
        """Check the settings by the class of the name."""
        given = dict(settings)
        name = given.pop("name", None)
        if not isinstance(name, str):
            said = "" if name is None else f" = {name!r}"
            known = ", ".join(self.registry)
            raise SettingError(f"[{section}] name{said}: say which one: {known}.")
        return Section(name, self._config(section, name, source).checked(given, section))

    def shared(self, settings: Settings, name: str) -> dict[str, Any]:
        """Return those that the component `name` has too, and with these values."""
        config = self._config(self.registry.section, name, None)
        return {
            setting: value for setting, value in settings.items() if config.allows(setting, value)
        }

    def path(self, settings: Settings) -> str:
        """Return ``"module:Class.Config"`` of the component that the settings name."""
        return f"{self.registry.target(str(settings.get('name')))}.Config"

    def _config(self, section: str, name: str, source: Path | None) -> type[Config]:
        component = self.registry.resolve(name, source)
        try:
            config: type[Config] = component.Config
            config.checked  # noqa: B018
        except AttributeError as error:
            raise SettingError(
                f"[{section}] name = '{name}': this class has no nested class Config of settings; "
                "give it one, derived from foretext.base.config.Config."
            ) from error
        return config


CORPUS = OneClass("foretext.corpus.settings:CorpusConfig")
DATA = OneClass("foretext.data.settings:DataConfig")
TRAINING = OneClass("foretext.training.settings:TrainingConfig")

VECTOR_SECTIONS: dict[str, Owner] = {
    "corpus": CORPUS,
    "tokenizer": OneClass("foretext.tokenizers.word_tokenizer:WordTokenizer.Config"),
    "data": DATA,
    "vectors": Table(VECTORS),
}
NETWORK_SECTIONS: dict[str, Owner] = {
    "corpus": CORPUS,
    "tokenizer": Table(SUBWORDS),
    "data": DATA,
    "backbone": Table(BACKBONES),
    "objective": Table(OBJECTIVES),
    "training": TRAINING,
}
AUTOENCODER_SECTIONS: dict[str, Owner] = {
    "autoencoder": Table(AUTOENCODERS),
    "reconstruction": OneClass("foretext.objectives.reconstruction:ReconstructionConfig"),
    "data": DATA,
    "training": TRAINING,
}


def kind_of(sections: Iterable[str]) -> Kind:
    """Return the kind of a recipe that has `sections`: the one that has most of them, too.

    A recipe that names nothing that learns is taken for the kind that its other sections fit.
    """
    given = set(sections)
    kinds = kinds_of_recipes()
    named = [kind for kind in kinds if kind.section in given]
    return max(named or kinds, key=lambda kind: len(kind.code("sections").keys() & given))


def owners_of(sections: Iterable[str]) -> dict[str, Owner]:
    """Return who checks each section of a recipe that has `sections`."""
    owners: dict[str, Owner] = kind_of(sections).code("sections")
    return owners


def tables_of_sections() -> dict[str, Registry]:
    """Return the table of each section that names a component, in recipes of any kind."""
    owners = [owner for kind in kinds_of_recipes() for owner in kind.code("sections").values()]
    tables = [owner.registry for owner in owners if owner.registry is not None]
    return {table.section: table for table in tables}


class DescribedSetting(NamedTuple):
    """One setting of a section."""

    name: str
    default: Any
    values: str  # that it may have: names, a range or a type
    description: str


def described(config: type[Config], defaults: Mapping[str, Any]) -> list[DescribedSetting]:
    """Return the settings of a class in their order.

    Args:
        config: the class; the docstring under a setting describes it.
        defaults: by name, where they differ from the class's.
    """
    schemas = config.model_json_schema()["properties"]
    return [
        DescribedSetting(
            name,
            defaults.get(name, field.get_default(call_default_factory=True)),
            _values(schemas[name]),
            field.description or "",
        )
        for name, field in config.model_fields.items()
    ]


def _values(schema: Mapping[str, Any]) -> str:
    """Return the values that a JSON schema allows; null is written "none"."""
    if "anyOf" in schema:
        texts = ", ".join(map(_values, schema["anyOf"])).split(", ")
        return ", ".join(dict.fromkeys(texts))
    if schema.get("type") == "null":
        return NONE
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return "list"
    return _range(schema) or TYPES.get(schema.get("type", ""), "text")


def _range(schema: Mapping[str, Any]) -> str:
    """Return the bounds of a number; empty: it has none."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    bounds = {
        "{:,} or more": low, "more than {:,}": above, "{:,} or less": high, "less than {:,}": below
    }  # fmt: skip
    return ", ".join(text.format(bound) for text, bound in bounds.items() if bound is not None)
