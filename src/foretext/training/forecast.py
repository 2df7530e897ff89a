"""What a limited time is enough for, said before the first step or when the speed is known."""

from __future__ import annotations

import statistics

from foretext.progress.budget import duration_option
from foretext.progress.figures import human_seconds
from foretext.training.schedule import MEASURING_RATE

__all__ = ["Forecast"]

WARM_STEPS = 2  # not timed: they make kernels and matrix products ready
TIMED_STEPS, TIMED_RATE = 5, 0.03  # enough: so many steps, or such a share of the time
FEWEST_STEPS = 200  # with fewer a network has hardly learned
USUAL_UTILIZATION = 0.5  # of what the machine can do: few networks reach more
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

    def before(self, flops: int, peak: float | None, total: float) -> str | None:
        """Return a warning before the first step, where even a fast network has too few of them.

        A step of a large network may take a minute, which is the whole time of some.

        Args:
            flops: operations of the first step; 0: nobody knows.
            peak: operations a second that the machine can do; None: nobody knows.
            total: seconds of the whole training.
        """
        if self._is_made or not flops or peak is None:
            return None
        pace = flops / (USUAL_UTILIZATION * peak)
        steps = (1 - MEASURING_RATE) * total / pace
        said = self._warning(steps, total)
        self._is_made = said is not None
        return said

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
        return self._warning(min(step + coming, total / pace), total)  # the last one may be late

    def _warning(self, steps: float, total: float) -> str | None:
        epochs = steps / self.steps_per_epoch
        is_short = epochs < FEWEST_EPOCHS and steps < MANY_STEPS
        if steps >= FEWEST_STEPS and not is_short:
            return None
        times = max(FEWEST_STEPS / steps, 1 / epochs if is_short else 0.0)
        more = duration_option((SPARE * times - 1) * total)
        named = "1 step" if steps < 1.5 else f"{steps:,.0f} steps"
        return (
            f"the training has {human_seconds(total)}, enough for about {named}, "
            f"{epochs:.2g} epochs, in which a network hardly learns; add {more} or more to the "
            "time (--budget), or choose a smaller network"
        )
