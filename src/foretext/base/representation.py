"""What Python prints of an object, and what a notebook shows of it: the facts that matter, once."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Represented"]

MOST_LETTERS, MOST_ITEMS = 80, 8


class Represented(ABC):
    """An object with a line for the terminal and a small table for a notebook."""

    @abstractmethod
    def summary(self) -> Mapping[str, Any]:
        """Return what a person wants to know of the object, by name; None is left out."""

    def __repr__(self) -> str:
        facts = (f"{name}={value}" for name, value in self._shown_facts())
        return f"{type(self).__name__}({', '.join(facts)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in self._shown_facts()
        )
        title = html.escape(type(self).__name__)
        return f"<table><caption><b>{title}</b></caption><tbody>{rows}</tbody></table>"

    def _shown_facts(self) -> list[tuple[str, str]]:
        facts = self.summary().items()
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
