"""Weights that grew without end: a training with them is refused, and they are never saved."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import numpy as np

from foretext.base.errors import DivergedError

__all__ = ["refuse_divergence", "refuse_loss"]

LARGEST = 1e4  # weights of a training that learns stay below a hundred


def refuse_divergence(weights: Iterable[np.ndarray], done: str, rate: str) -> None:
    """Refuse weights that are no numbers, or are far too large to have learned anything.

    Args:
        weights: arrays of any shape.
        done: how far the training has come, such as "5,000 words".
        rate: the setting of the learning rate and its value.

    Raises:
        DivergedError: there are such weights.
    """
    for array in weights:
        if not array.size:
            continue
        ends = float(array.min()), float(array.max())  # of any NaN both are NaN
        if not all(map(isfinite, ends)):
            raise DivergedError(
                f"The weights are no longer numbers after {done}; choose a lower learning rate "
                f"than {rate}."
            )
        if (largest := max(map(abs, ends))) > LARGEST:
            raise DivergedError(
                f"The weights have grown to {largest:.2g} after {done}, and learn nothing there; "
                f"choose a lower learning rate than {rate}."
            )


def refuse_loss(loss: float | None, done: str, rate: str) -> None:
    """Refuse a loss that is no number.

    Args:
        loss: None: there is none.
        done: how far the training has come.
        rate: the setting of the learning rate and its value.

    Raises:
        DivergedError: it is NaN or an infinity.
    """
    if loss is not None and not isfinite(loss):
        raise DivergedError(
            f"The loss is no longer a number after {done}; choose a lower learning rate than "
            f"{rate}."
        )
