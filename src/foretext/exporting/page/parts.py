"""A model inside another one: its tensors and texts have the name of the part before theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

__all__ = ["named_part", "named_parts", "part_named"]

_Value = TypeVar("_Value")


def named_part(name: str, values: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return values of a part under the names that they have in the whole."""
    return {f"{name}.{own}": value for own, value in values.items()}


def named_parts(parts: Mapping[str, Mapping[str, _Value]]) -> dict[str, _Value]:
    """Return the values of several parts, by their names, under the names in the whole."""
    return {
        named: value
        for name, values in parts.items()
        for named, value in named_part(name, values).items()
    }


def part_named(name: str, values: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return the values of a part under their own names."""
    start = f"{name}."
    return {own.removeprefix(start): each for own, each in values.items() if own.startswith(start)}
