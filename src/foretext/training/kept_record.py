"""The record of the weights that a training ended with, which need not be the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["kept_record"]


def kept_record(
    history: Sequence[Mapping[str, Any]],
    *,
    keep: str,
    judged_by: str = "valid_loss",
    higher_is_better: bool = False,
) -> dict[str, Any]:
    """Return the last record, with the held-out figures of the weights that are kept.

    Args:
        history: all records of the training.
        keep: the setting, ``"last"`` or ``"best"``.
        judged_by: the figure by which weights are better than others.
        higher_is_better: of that figure.
    """
    last = history[-1]
    measured = [record for record in history if judged_by in record]
    if keep != "best" or not measured:
        return dict(last)
    sign = -1 if higher_is_better else 1
    best = min(measured, key=lambda record: sign * float(record[judged_by]))  # the first of equals
    figures = {name: value for name, value in best.items() if name.startswith("valid_")}
    return {**last, **figures, "kept_step": best["step"], "kept_epoch": best["epoch"]}
