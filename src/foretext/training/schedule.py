"""How long a training takes, and its learning rate at each step."""

from __future__ import annotations

import math
import statistics

from foretext.base.counted import number_of
from foretext.messages import message
from foretext.progress.bar import human_seconds
from foretext.progress.budget import duration_option
from foretext.training.settings import TrainingConfig

__all__ = ["MEASURING_RATE", "VALIDATIONS", "Forecast", "Schedule"]

VALIDATIONS = 20  # in a training, unless it says otherwise
INTERVAL = 1 / VALIDATIONS  # of a training, between two
LEAST_WARMUP = 0.01  # of a training, after which an inverse root falls
MEASURING_RATE = 0.1  # of a limited time, for measuring held-out examples, at most

WARM_STEPS = 2  # not timed: they make kernels and matrix products ready
TIMED_STEPS, TIMED_RATE = 5, 0.03  # enough: so many steps, or such a share of the time
FEWEST_STEPS = 200  # with fewer a network has hardly learned
USUAL_UTILIZATION = 0.5  # of what the machine can do: few networks reach more
SPARE = 1.1  # times what seems to be needed
FEWEST_EPOCHS, MANY_STEPS = 0.8, 1000  # less than about one epoch is short, unless it is so long


class Schedule:
    """Steps or, under a budget, seconds, from 0 to `total`; and the learning rate there.

    A training by steps can have a limit of seconds too. The share that is done is then the larger
    one of the two, so that the learning rate reaches its end within either.

    Args:
        config: the user's settings.
        steps_per_epoch: of the examples.
        limit: seconds that it may take at most; None: as many as the settings say.
    """

    def __init__(
        self, config: TrainingConfig, steps_per_epoch: int, limit: float | None = None
    ) -> None:
        self.config = config
        self.steps_per_epoch = steps_per_epoch
        self.budget = config.budget_seconds
        limits = [seconds for seconds in (self.budget, limit) if seconds is not None]
        self.limit = min(limits, default=None)
        self.num_steps = config.steps or max(1, math.ceil(config.epochs * steps_per_epoch))
        self.unit = "steps" if self.budget is None else "seconds"
        self._measuring = 0.0  # seconds that a measurement takes
        self._saving = 0.0  # seconds that the last checkpoint takes

    @property
    def total(self) -> float:
        """Steps or seconds of the whole training."""
        return float(self.num_steps) if self.budget is None else self._seconds

    @property
    def is_limited(self) -> bool:
        """Whether seconds end the training, alone or beside steps."""
        return self.limit is not None

    def reserve(self, seconds: float) -> None:
        """Say how long a measurement takes: the last one comes within the limit."""
        self._measuring = seconds

    def keep_free(self, seconds: float) -> None:
        """Say how long the last checkpoint takes, which comes within the limit too."""
        self._saving = seconds

    def done(self, step: int, seconds: float) -> float:
        """Return the steps or seconds that are done, at most `total`."""
        if self.budget is not None:
            return min(seconds, self.total)
        return min(max(float(step), self._time_share(seconds) * self.total), self.total)

    def finished(self, step: int, seconds: float) -> bool:
        """Whether nothing is left to do."""
        return self.done(step, seconds) >= self.total

    def learning_rate(self, step: int, seconds: float) -> float:
        """Return the rate of the step that comes next."""
        config = self.config
        done = self.done(step + 1 if self.budget is None else step, seconds) / self.total
        if done < config.warmup_rate:
            return config.learning_rate * min(max(done, 1e-3) / config.warmup_rate, 1.0)
        return config.learning_rate * self._share(done)

    def validates(self, step: int, seconds: float, last: float) -> bool:
        """Whether a held-out loss is due; `last` is what was `done` at the one before."""
        done = self.done(step, seconds)
        if self._ends_by_time(step, seconds) and not self._has_room(done, last):
            return False
        if self.config.valid_steps is not None:
            return step % self.config.valid_steps == 0
        return done - last >= self.total * INTERVAL

    @property
    def _seconds(self) -> float:
        """Seconds for steps, and for all measurements and checkpoints but the last ones."""
        assert self.limit is not None
        return max(self.limit - self._measuring - self._saving, self.limit / 2)

    def _ends_by_time(self, step: int, seconds: float) -> bool:
        """Whether seconds, not steps, will end the training, by the speed so far."""
        by_steps = 0.0 if self.budget is not None else step / self.num_steps
        return self._time_share(seconds) > by_steps

    def _has_room(self, done: float, last: float) -> bool:
        """Whether a measurement now is far enough from the one before and from the last one.

        So all of them together take a tenth of the time at most.
        """
        apart = self._measuring * (1 - MEASURING_RATE) / MEASURING_RATE  # seconds of learning
        spacing = apart * self.total / self._seconds
        return last + spacing <= done <= self.total - spacing

    def _time_share(self, seconds: float) -> float:
        """Share of the limit that is over, from 0; 0 where there is none."""
        return seconds / self._seconds if self.is_limited else 0.0

    def _share(self, done: float) -> float:
        """Share of the highest rate, after the warm-up."""
        config = self.config
        fallen = (done - config.warmup_rate) / (1 - config.warmup_rate)  # 0 to 1
        if config.schedule == "linear":
            share = 1 - fallen
        elif config.schedule == "cosine":
            share = (1 + math.cos(math.pi * fallen)) / 2
        elif config.schedule == "inverse_sqrt":
            from_here = max(config.warmup_rate, LEAST_WARMUP)
            return max(math.sqrt(from_here / max(done, from_here)), config.final_rate)
        else:
            return 1.0
        return config.final_rate + (1 - config.final_rate) * share


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
        named = number_of("step", max(round(steps), 1))
        return message(
            "findings.network.short",
            time=human_seconds(total),
            steps=named,
            epochs=epochs,
            more=more,
        )
