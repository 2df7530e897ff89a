"""Answers to questions, found in a passage."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability

__all__ = ["Answer", "AnswerOptions"]


class AnswerOptions(NamedTuple):
    """What a request wants of each question."""

    k: int | None = None  # answers; None: the one that the model chooses


class Answer(Ability):
    """(question, passage) becomes the record of ``foretext predict --json``."""

    name: ClassVar[str] = "answer"

    def sample(self) -> tuple[tuple[str, str], AnswerOptions]:
        """Return a question and a passage."""
        return ("a", "a"), AnswerOptions()

    def run(self, items: Sequence[tuple[str, str]], options: Hashable) -> list[dict[str, Any]]:
        """Return the record of each question; see `Ability.run`."""
        assert isinstance(options, AnswerOptions)
        return list(self.model.answered(items, k=options.k))
