"""Whether a fine-tuned network answers as well by products of integers, on rows with right answers.

Weights of one scale an output and states of one scale a row (`foretext.nn.quantized_linear`) change
answers in the third digit. What that costs depends on network and rows, so it is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from foretext.base.errors import SettingError
from foretext.nn.precision import ReadingPrecision
from foretext.nn.quantized_linear import multiplies_integers
from foretext.tasks.model import TaskModel

__all__ = ["MOST_LOST", "Int8Figures", "keep_int8", "measure_int8"]

MOST_LOST = 0.005  # of the figure by which the task is judged


class Int8Figures(NamedTuple):
    """The figure by which a task is judged, on the same rows."""

    name: str
    before: float  # by float32
    after: float  # by products of integers

    @property
    def lost(self) -> float:
        """How much worse the figure is."""
        return self.before - self.after


def measure_int8(model: TaskModel, rows: Sequence[Any]) -> Int8Figures:
    """Answer rows by float32 and by products of integers; the model stays as it is.

    Args:
        model: of a task.
        rows: that it did not learn from, with their right answers.

    Raises:
        SettingError: the device has no such products, or they have no effect on the task.
    """
    if not model.answers_in_int8:
        raise SettingError(
            f"precision = 'int8' has no effect on {model.title.lower()}, which writes token by "
            "token; leave the model as it is."
        )
    before = model.precision
    try:
        model.use_precision("int8")
        _refuse_no_effect(model)
        by_integers, by_float = (_judged(model, rows, each) for each in ("int8", "fp32"))
    finally:
        model.use_precision(before)
    return Int8Figures(model.judged_by, by_float, by_integers)


def keep_int8(model: TaskModel, rows: Sequence[Any], most_lost: float = MOST_LOST) -> Int8Figures:
    """Have the model answer by products of integers from now on, also when it was saved.

    On a device without them it answers as before.

    Args:
        model: of a task.
        rows: that it did not learn from, with their right answers.
        most_lost: by how much the figure may be worse.

    Raises:
        SettingError: the figure is worse than that, or no number; or as of `measure_int8`.
    """
    figures = measure_int8(model, rows)
    if math.isnan(figures.lost):
        raise SettingError(
            f"{figures.name} is not a number on these rows ({figures.before:.4f} in float32, "
            f"{figures.after:.4f} by products of integers); give rows with different answers."
        )
    if figures.lost > most_lost:
        raise SettingError(
            f"{figures.name} falls from {figures.before:.4f} in float32 to {figures.after:.4f} by "
            f"products of integers, by more than {most_lost:g}; keep the model as it is."
        )
    model.keeps_int8 = True
    return figures


def _refuse_no_effect(model: TaskModel) -> None:
    """Refuse a network that computes by integers what it computed before.

    Raises:
        SettingError: it has no linear map that becomes a product of integers.
    """
    if not multiplies_integers(model.reader()):
        raise SettingError(
            f"precision = 'int8' has no effect on this {type(model.base.backbone).__name__}, which "
            "has no linear map whose sizes are multiples of 16; leave the model as it is."
        )


def _judged(model: TaskModel, rows: Sequence[Any], precision: ReadingPrecision) -> float:
    model.use_precision(precision)
    return float(model.figures(rows)[model.judged_by])
