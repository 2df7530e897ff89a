"""The settings of a run as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["setting_sections"]


def setting_sections(settings: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return the settings section by section; those that stand alone come first, without a name."""
    alone = [(name, value) for name, value in settings.items() if not isinstance(value, Mapping)]
    sections = [
        (name, list(value.items()))
        for name, value in settings.items()
        if isinstance(value, Mapping)
    ]
    return ([("", alone)] if alone else []) + sections
