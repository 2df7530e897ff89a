"""What a user writes over a recipe: ``--set SECTION.NAME=VALUE``, or settings in Python.

In Python, settings are a dict of sections, or a list such as ``["training.epochs=3"]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

from foretext.base.errors import SettingError, did_you_mean
from foretext.base.parsing import parse_toml_value
from foretext.recipe.sections import Sections

__all__ = [
    "GivenSections",
    "GivenValues",
    "given_by_candidate",
    "given_sections",
    "given_values",
    "overridden",
    "read_overrides",
]

GivenSections: TypeAlias = Mapping[str, Mapping[str, Any]] | Sequence[str]
GivenValues: TypeAlias = Mapping[str, Any] | Sequence[str]


def read_overrides(overrides: Sequence[str], sections: Sequence[str]) -> Sections:
    """Sort ``"section.setting=value"`` by section, for verbs that know only some of them."""
    given = overridden({}, overrides)
    for section in given:
        if section not in sections:
            raise SettingError(
                f"--set {section}: there is no such section here.{did_you_mean(section, sections)} "
                f"There are: {', '.join(sections)}."
            )
    return given


def overridden(sections: Sections, overrides: Sequence[str], said: str = "--set ") -> Sections:
    """Set each ``section.setting=value`` in `sections`, and return them.

    Args:
        sections: settings by section.
        overrides: what is set in them.
        said: how errors begin, as the user knows what was given.
    """
    for override in overrides:
        section, setting, value = _override(override, said)
        sections.setdefault(section, {})[setting] = value
    return sections


def given_sections(settings: GivenSections | None, said: str = "settings: ") -> Sections:
    """Return settings by section, from a dict of sections or a list of ``"section.name=value"``.

    Args:
        settings: of either form.
        said: how errors begin.

    Raises:
        SettingError: they are neither, or one of them has another form.
    """
    if _are_texts(settings):
        return overridden({}, settings, said)
    given: Any = {} if settings is None else settings
    if not isinstance(given, Mapping) or not all(
        isinstance(each, Mapping) for each in given.values()
    ):
        raise SettingError(
            f"settings = {repr(settings)[:60]}: give a dict of sections, such as "
            "{'training': {'epochs': 3}}, or a list, such as ['training.epochs=3']."
        )
    return {section: dict(values) for section, values in given.items()}


def given_values(settings: GivenValues | None, section: str) -> dict[str, Any]:
    """Return the settings of one section, from a dict or from a list of ``"name=value"``.

    Raises:
        SettingError: they are neither, or one of them has another form or section.
    """
    if not _are_texts(settings):
        given: Any = {} if settings is None else settings
        if not isinstance(given, Mapping):
            raise SettingError(
                f"settings = {repr(settings)[:60]}: give a dict of settings by name, or a list, "
                "such as ['name=value']."
            )
        return dict(given)
    prefix = f"{section}."
    found = [each if each.startswith(prefix) else prefix + each for each in settings or ()]
    return overridden({}, found, "settings: ").get(section, {})


def given_by_candidate(
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] | Sequence[str] | None,
) -> dict[str, Sections]:
    """Return settings by candidate, from dicts or a list of ``"candidate:section.name=value"``.

    Raises:
        SettingError: they are neither, or one of them has another form.
    """
    if not _are_texts(settings):
        given: Any = {} if settings is None else settings
        if isinstance(given, Mapping):
            return {name: given_sections(sections) for name, sections in given.items()}
        raise SettingError(
            f"settings = {repr(settings)[:60]}: give a dict of candidates, or a list, such as "
            "['modern-bert:training.epochs=3']."
        )
    single: dict[str, list[str]] = {}
    for each in settings or ():
        names, equals, value = str(each).partition("=")
        candidate, colon, name = names.rpartition(":")
        if not colon:
            raise SettingError(
                f"settings: {each}: say which candidate is meant, such as 'modern-bert:{each}'; "
                "the arguments rows and text set how these are read."
            )
        single.setdefault(candidate, []).append(f"{name}{equals}{value}")
    return {name: given_sections(values) for name, values in single.items()}


def _are_texts(settings: Any) -> TypeGuard[Sequence[str]]:
    """Whether settings are a list of texts."""
    return isinstance(settings, list | tuple) and all(isinstance(each, str) for each in settings)


def _override(text: str, said: str) -> tuple[str, str, Any]:
    """Take ``section.setting=value`` apart."""
    target, equals, value = text.partition("=")
    section, dot, setting = target.strip().partition(".")
    if not (equals and dot and section and setting):
        raise SettingError(f"{said}{text}: write it as section.setting=value.")
    return section, setting, parse_toml_value(value.strip(), f"{said}{target}", SettingError)
