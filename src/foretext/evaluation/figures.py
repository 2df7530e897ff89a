"""The figures of one file, to print or to keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.base.representation import represented
from foretext.messages import message

__all__ = ["Evaluation", "Measure"]

APART = ("sections", "signatures")  # tables of single values
Measure = Callable[[Path], dict[str, Any]]  # figures of a file, as JSON takes them


@represented
@dataclass(frozen=True, repr=False)
class Evaluation:
    """What was measured on one file.

    Args:
        path: of the file.
        figures: by name, as JSON takes them; further tables and lists of words among them.
    """

    path: Path
    figures: dict[str, Any]

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the result."""
        return {"file": self.path, **dict(self.rows())}

    def as_dict(self) -> dict[str, Any]:
        """Return everything, as JSON takes it."""
        return dict(self.figures)

    def rows(self) -> list[tuple[str, str]]:
        """Return the most important figures as pairs of name and value."""
        shown = [*self.single_figures(), *self.sections()]
        return [(name.replace("_", " "), value) for name, value in shown]

    def single_figures(self) -> list[tuple[str, str]]:
        """Return the names that figures have in JSON, and their values, of those that are one."""
        return [
            (name, _shown(value)) for name, value in self.figures.items() if _is_shown(name, value)
        ]

    def sections(self) -> list[tuple[str, str]]:
        """Return the figure of each section of the file, by the name that it has there."""
        return [(name, _shown(value)) for name, value in self.figures.get("sections", {}).items()]

    def sentences(self) -> list[str]:
        """Return what is said below: how figures were computed, and warnings."""
        signatures = self.figures.get("signatures", {})
        said = [f"{name}: {signature}" for name, signature in signatures.items()]
        warnings = self.figures.get("warnings", [])
        return said + [message("findings.size.warning", said=each) for each in warnings]

    def tables(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return figures of several things, by the name of the column of these things.

        ``{"labels": {"ham": {"f1": .9}}}`` is a table of labels. ``{"words": {"mrr": .5}}`` is a
        row of a table "by".
        """
        groups = {
            name: value
            for name, value in self.figures.items()
            if isinstance(value, dict) and value and name not in APART
        }
        nested = {
            name: value
            for name, value in groups.items()
            if all(isinstance(row, dict) for row in value.values())
        }
        found = {name.removesuffix("s"): value for name, value in nested.items()}
        rows = {name: value for name, value in groups.items() if name not in nested}
        return found | ({"by": rows} if rows else {})


def _is_shown(name: str, value: Any) -> bool:
    return value is None or isinstance(value, float | int | str) or name == "columns"


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
