"""How good a model is at its task on held-out rows, while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.task_models.base import TaskModel
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss, Validation

__all__ = ["TaskValidation"]

MOST_ROWS = 2000  # that are measured while a training goes on


class TaskValidation(Validation):
    """The task's figures and loss on rows that are not learned from.

    Args:
        model: whose network is trained.
        rows: with their answers; the first 2,000 are used.
        batch_examples: of the loss.
    """

    higher_is_better = True

    def __init__(self, model: TaskModel, rows: Sequence[Any], batch_examples: int) -> None:
        self.model = model
        self.rows = rows[:MOST_ROWS]
        self.judged_by = f"valid_{model.judged_by}"
        self.loss = HeldOutLoss(model.examples(self.rows), batch_examples)

    def measure(self, model: Model) -> dict[str, float]:
        """Return the loss and every figure that is one number."""
        with self.model.in_training():
            figures = self.model.figures(self.rows)
        numbers = {
            f"valid_{name}": float(value)
            for name, value in figures.items()
            if isinstance(value, float)
        }
        return {**self.loss.measure(model), **numbers}
