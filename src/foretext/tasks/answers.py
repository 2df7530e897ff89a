"""Answers to rows: what a model or a baseline says, and how good that is.

Whoever answers gives the same kind of object, so that a baseline is measured as the model is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from foretext.metrics.paired import Tallies
from foretext.tasks.shown_row import ShownRow

__all__ = ["Answers", "numbers"]


class Answers(ABC):
    """Answers to N rows; each method takes these rows, with their right answers."""

    @property
    @abstractmethod
    def judged_by(self) -> str:
        """The figure by which answers are compared; higher is better."""

    @abstractmethod
    def figures(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Return how good the answers are; the figure `judged_by` is among them.

        Raises:
            CorpusError: rows lack the right answers, or have others than can be compared.
        """

    def tallies(self, rows: Sequence[Any]) -> dict[str, Tallies]:
        """Return, by the name of a figure, what each row adds to it.

        A verdict asks for that of `judged_by`, for a test whether another model is better by more
        than chance. Figures that are missing are compared without a test.
        """
        return {}

    def findings(
        self, rows: Sequence[Any], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return what the report shows of answers; `foretext.report.task_files` has the blocks.

        Args:
            rows: with their right answers.
            beside: answers of baselines to the same rows, by the names that they have in
                `foretext.tasks.examining.examine`; None: there are none.
        """
        return {}

    def shown(self, rows: Sequence[Any]) -> list[ShownRow]:
        """Return rows with right and given answers as a person reads them; []: nothing to read.

        Several models are compared by them, row by row.
        """
        return []

    def degenerate(self, rows: Sequence[Any]) -> str | None:
        """Return a sentence where answers say nothing, such as one answer to all rows."""
        return None


def numbers(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that are finite numbers, without the tables among them."""
    return {
        name: value
        for name, value in figures.items()
        if isinstance(value, int | float) and isfinite(value)
    }
