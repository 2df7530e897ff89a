"""Settings as a person reads them: what each one is for, and which values it may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from foretext.base.config import Config

__all__ = ["DescribedSetting", "described"]

TYPES = {"boolean": "true, false", "integer": "number", "number": "number", "string": "text"}


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
    """Return the values that a JSON schema allows; null is a setting that is left out."""
    if "anyOf" in schema:
        parts = [part for part in schema["anyOf"] if part.get("type") != "null"]
        return ", ".join(dict.fromkeys(map(_values, parts)))
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
