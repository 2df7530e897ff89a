"""How fast a model learns on this machine: a few real steps of the one loop, timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from foretext.data.examples import Examples
from foretext.progress.run_context import RunContext
from foretext.training.loop import Training
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import Validation

__all__ = ["Speed", "Timer", "measure_speed"]

Timer = Callable[[], float]

WARM_STEPS = 2  # kernels and matrix products are made ready in the first ones
FEWEST_STEPS = 2  # timed, however slow they are
MOST_STEPS = 50


class Speed(NamedTuple):
    """What was measured."""

    step_seconds: float
    step_tokens: float  # real ones, no padding

    @property
    def tokens_per_second(self) -> float:
        """Tokens read in a second of training."""
        return self.step_tokens / self.step_seconds


def measure_speed(
    model: Model,
    examples: Examples,
    config: TrainingConfig,
    context: RunContext,
    seconds: float,
    timer: Timer = time.monotonic,
) -> Speed:
    """Train for about `seconds` and say how long a step takes; the model is of no use afterwards.

    The median step counts, so that another program's moment on the machine does not.
    """
    stopwatch = _Stopwatch(seconds, timer)
    kept = config.model_dump(include={"batch_examples", "micro_batch_examples", "device"})
    kept |= config.model_dump(include={"precision", "compile", "gradient_checkpointing", "seed"})
    kept |= config.model_dump(include={"freeze", "freeze_layers", "optimizer"})
    trial = TrainingConfig(**kept, steps=MOST_STEPS, valid_steps=1, patience=1)
    history = Training(model, examples, trial, context, stopwatch, alone=True).run()
    times = stopwatch.times[WARM_STEPS - 1 :]
    steps = [after - before for before, after in pairwise(times)]
    return Speed(statistics.median(steps), history[-1]["tokens"] / len(history))


class _Stopwatch(Validation):
    """A validation that looks at the clock after each step, and never at the model.

    Its figure gets better until the time is over; then the loop's patience, of one step, ends.
    """

    judged_by = "seconds_left"
    higher_is_better = False
    reads_whole_weights = False

    def __init__(self, seconds: float, timer: Timer) -> None:
        self.seconds = seconds
        self.timer = timer
        self.times: list[float] = []  # at the end of each step

    def measure(self, model: Model) -> dict[str, float]:
        """Note the time."""
        self.times.append(self.timer())
        timed = len(self.times) - WARM_STEPS
        going_on = timed < FEWEST_STEPS or self._timed_seconds < self.seconds
        return {self.judged_by: -float(len(self.times)) if going_on else 1.0}

    @property
    def _timed_seconds(self) -> float:
        return self.times[-1] - self.times[WARM_STEPS - 1]
