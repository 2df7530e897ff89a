"""The settings of a run as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["setting_sections"]


def setting_sections(settings: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return the settings section by section; those that stand alone come first, without a name."""
    alone = [
        (name, _written(value))
        for name, value in settings.items()
        if not isinstance(value, Mapping)
    ]
    sections = [
        (name, [(setting, _written(each)) for setting, each in value.items()])
        for name, value in settings.items()
        if isinstance(value, Mapping)
    ]
    return ([("", alone)] if alone else []) + sections


def _written(value: Any) -> Any:
    """Return a number as the user writes it: 300, not 300.000; other values as they are."""
    return f"{value:.10g}" if isinstance(value, float) else value
