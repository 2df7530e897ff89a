"""A training that is interrupted, as by SIGTERM."""

from __future__ import annotations

from collections.abc import Callable

from foretext.data.batch import Batch
from foretext.training.loop import Training

__all__ = ["stopping_at"]


def stopping_at(last: int) -> Callable[[Training, Batch], None]:
    """Return a step for `Training._step` that is interrupted after step `last`."""
    step = Training._step

    def stopping(training: Training, batch: Batch) -> None:
        step(training, batch)
        if training.state.step == last:
            training._stop("SIGTERM")

    return stopping
