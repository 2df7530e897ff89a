"""What Python prints of an object, and what a notebook shows of it: the facts that matter, once."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

__all__ = ["represented"]

MOST_LETTERS, MOST_ITEMS = 80, 8


class Summarised(Protocol):
    """An object whose facts can be shown."""

    def summary(self) -> Mapping[str, Any]:
        """Return what a person wants to know of the object, by name; None is left out."""


ClassT = TypeVar("ClassT", bound=type[Summarised])


def represented(component: ClassT) -> ClassT:
    """Give a class with `summary` a small table for a notebook, and a line for the terminal.

    A class that writes its own line keeps it.
    """
    if "__repr__" not in vars(component):
        component.__repr__ = _line  # type: ignore[assignment,method-assign]
    component._repr_html_ = _table  # type: ignore[attr-defined]
    return component


def _line(thing: Summarised) -> str:
    facts = (f"{name}={value}" for name, value in _shown_facts(thing))
    return f"{type(thing).__name__}({', '.join(facts)})"


def _table(thing: Summarised) -> str:
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in _shown_facts(thing)
    )
    title = html.escape(type(thing).__name__)
    return f"<table><caption><b>{title}</b></caption><tbody>{rows}</tbody></table>"


def _shown_facts(thing: Summarised) -> list[tuple[str, str]]:
    facts = thing.summary().items()
    return [(name, shown_value(value)) for name, value in facts if value is not None]


def shown_value(value: object) -> str:
    """Return a value in one line: numbers with few digits, long texts and lists cut."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = [shown_value(item) for item in value[:MOST_ITEMS]]
        return ", ".join([*items, "..."] if len(value) > MOST_ITEMS else items)
    line = " ".join(str(value).split())
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 3]}..."
