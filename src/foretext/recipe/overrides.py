"""What a user writes over a recipe: ``--set SECTION.NAME=VALUE``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.errors import SettingError, did_you_mean
from foretext.parsing import parse_toml_value
from foretext.recipe.sections import Sections

__all__ = ["overridden", "read_overrides"]


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


def overridden(sections: Sections, overrides: Sequence[str]) -> Sections:
    """Set each ``section.setting=value`` in `sections`, and return them."""
    for override in overrides:
        section, setting, value = _override(override)
        sections.setdefault(section, {})[setting] = value
    return sections


def _override(text: str) -> tuple[str, str, Any]:
    """Take ``section.setting=value`` apart."""
    target, equals, value = text.partition("=")
    section, dot, setting = target.strip().partition(".")
    if not (equals and dot and section and setting):
        raise SettingError(f"--set {text}: write it as section.setting=value.")
    return section, setting, parse_toml_value(value.strip(), f"--set {target}", SettingError)
