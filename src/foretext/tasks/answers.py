"""Answers of a model to rows, which say themselves how good they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from foretext.messages import message, translated
from foretext.metrics.paired import Tallies

__all__ = ["FEWEST", "Answers", "ShownRow", "excerpt", "numbers", "one_answer", "shown_rows"]

FEWEST = 10  # rows; a good model can answer fewer alike

LONGEST = 300  # characters


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


class ShownRow(NamedTuple):
    """Texts of at most 300 characters."""

    text: str
    right: str
    given: str


def shown_rows(texts: Iterable[str], right: Sequence[str], given: Sequence[str]) -> list[ShownRow]:
    """Return N rows from their texts, the right answers and those that were given."""
    return [
        ShownRow(*(excerpt(part) for part in parts))
        for parts in zip(texts, right, given, strict=True)
    ]


def one_answer(
    right: Sequence[Hashable], given: Sequence[Hashable], rows: str, shown: str
) -> str | None:
    """Return a sentence where all answers are equal and the right ones are not.

    Args:
        right: N right answers.
        given: N answers.
        rows: what is answered, such as "texts".
        shown: the first answer, as the sentence has it.
    """
    if len(given) < FEWEST or len(set(given)) > 1 or len(set(right)) < 2:
        return None
    return message(
        "findings.degenerate.one_answer",
        number=len(given),
        rows=translated(rows),
        shown=shown,
        right=len(set(right)),
    )


def excerpt(text: str, place: int = 0) -> str:
    """Return 300 characters of a text around the one at `place`, on one line."""
    start = max(min(place - LONGEST // 2, len(text) - LONGEST), 0)
    end = start + LONGEST
    plain = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{plain}{'…' if end < len(text) else ''}"
