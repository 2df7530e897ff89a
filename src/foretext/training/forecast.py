"""What a limited time is enough for, said as soon as the speed of the steps is known."""

from __future__ import annotations

import statistics

from foretext.progress.budget import duration_option
from foretext.progress.figures import human_seconds
from foretext.training.schedule import MEASURING_RATE

__all__ = ["Forecast"]

WARM_STEPS = 2  # not timed: they make kernels and matrix products ready
TIMED_STEPS, TIMED_RATE = 5, 0.03  # enough: so many steps, or such a share of the time
FEWEST_STEPS = 200  # with fewer a network has hardly learned
SPARE = 1.1  # times what seems to be needed
FEWEST_EPOCHS, MANY_STEPS = 0.8, 1000  # less than about one epoch is short, unless it is so long


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
        is_short = epochs < FEWEST_EPOCHS and steps < MANY_STEPS
        if steps >= FEWEST_STEPS and not is_short:
            return None
        times = max(FEWEST_STEPS / steps, 1 / epochs if is_short else 0.0)
        more = duration_option((SPARE * times - 1) * total)
        return (
            f"the training has {human_seconds(total)}, enough for about {steps:,.0f} steps, "
            f"{epochs:.2g} epochs, in which a network hardly learns; add {more} or more to the "
            "time (--budget), or choose a smaller network"
        )
