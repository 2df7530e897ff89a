"""What a network from scratch learns its words from: the rows of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foretext.config import Config
from foretext.data.rows.row_texts import RowTexts
from foretext.task_models.base import TaskModel

__all__ = ["Material"]


@dataclass(frozen=True)
class Material:
    """The texts to learn from, for a task.

    Attributes:
        model: that is learned.
        texts: of the rows.
        apart: sources and targets, where each side gets a tokenizer of its own; None: one does.
        num_characters: ids of characters that words are spelled with.
    """

    model: type[TaskModel]
    texts: RowTexts
    apart: tuple[RowTexts, RowTexts] | None = None
    num_characters: int = 0

    @classmethod
    def of(cls, model: type[TaskModel], task: Config, rows: Sequence[Any]) -> Material:
        """Return what a task finds in its rows.

        Args:
            model: that is learned.
            task: the section `[task]`.
            rows: to learn from.
        """
        apart, characters = model.texts_apart(task, rows), model.num_characters(rows)
        return cls(model, model.texts(rows), apart, characters)
