"""How good a model is at its task on held-out rows, while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.finetuning.task_rows import sampled
from foretext.tasks.model import TaskModel
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss, Validation

__all__ = ["TaskValidation"]

MOST_ROWS = 2000  # that are measured while a training goes on


class TaskValidation(Validation):
    """The task's figures and loss on rows that are not learned from.

    Args:
        model: whose network is trained.
        rows: with their answers; of more than 2,000 a sample is measured, since files may be sorted
            by their labels.
        batch_examples: of the loss.
    """

    def __init__(self, model: TaskModel, rows: Sequence[Any], batch_examples: int) -> None:
        self.model = model
        self.higher_is_better = not model.is_chosen_by_loss
        self.num_examples = min(len(rows), MOST_ROWS)
        self._every, self._batch_examples = rows, batch_examples
        self._measure_rows(sampled(rows, MOST_ROWS))  # which may decide what they are judged by
        self.judged_by = "valid_loss" if model.is_chosen_by_loss else f"valid_{model.judged_by}"

    def measure(self, model: Model) -> dict[str, float]:
        """Return the loss and, unless weights are chosen by it, each figure that is one number."""
        if self.model.is_chosen_by_loss:
            return self.loss.measure(model)
        with self.model.in_training():
            figures = self.model.figures(self.rows)
        numbers = {
            f"valid_{name}": float(value)
            for name, value in figures.items()
            if isinstance(value, float)
        }
        return {**self.loss.measure(model), **numbers}

    def sample(self, size: int) -> None:
        """Measure so many rows, drawn at random from all."""
        self._measure_rows(sampled(self._every, size))

    def _measure_rows(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        self.loss = HeldOutLoss(self.model.examples(rows), self._batch_examples)
