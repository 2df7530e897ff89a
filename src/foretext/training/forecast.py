"""What a limited time is enough for, said as soon as the speed of the steps is known."""

from __future__ import annotations

import statistics

from foretext.progress.budget import duration_option
from foretext.training.schedule import MEASURING_RATE

__all__ = ["Forecast"]

WARM_STEPS = 2  # not timed: they make kernels and matrix products ready
TIMED_STEPS, TIMED_RATE = 5, 0.03  # enough: so many steps, or such a share of the time
FEWEST_STEPS, FEWEST_EPOCHS = 200, 1.0  # with fewer a network has hardly learned


class Forecast:
    """Looks at the first steps, and then says once whether the time is too short.

    Args:
        steps_per_epoch: of the examples.
    """

    def __init__(self, steps_per_epoch: int) -> None:
        self.steps_per_epoch = steps_per_epoch
        self._times: list[float] = []  # of steps
        self._is_made = False

    def add(self, step: int, step_seconds: float, left: float, total: float) -> str | None:
        """Note the time of a step; return a warning, at most once.

        Args:
            step: its number, from 1.
            step_seconds: of the newest step.
            left: seconds of the training that are left.
            total: seconds of the whole training.
        """
        if self._is_made:
            return None
        self._times.append(step_seconds)
        timed = self._times[WARM_STEPS:]
        known = len(timed) >= TIMED_STEPS or (timed and sum(timed) >= TIMED_RATE * total)
        if not known and left > 0:
            return None
        self._is_made = True
        pace = statistics.median(timed or self._times)
        coming = (1 - MEASURING_RATE) * max(left, 0.0) / pace
        return self._warning(step + coming, total)

    def _warning(self, steps: float, total: float) -> str | None:
        epochs = steps / self.steps_per_epoch
        missing = max(FEWEST_STEPS / steps, FEWEST_EPOCHS / epochs)
        if missing <= 1:
            return None
        return (
            f"the time is enough for about {steps:,.0f} steps, {epochs:.2g} epochs, and a network "
            f"hardly learns in fewer than {FEWEST_STEPS} steps or one epoch; give it more time, "
            f"such as --budget {duration_option(1.2 * missing * total)}, or choose a smaller one"
        )
