"""How many held-out examples are measured where the time of a training is limited.

To measure all of them can take longer than hundreds of steps. So a sample is measured, which is
chosen once, before the first step, from the speed that is found there. It stays the same, so that
the figures of two moments compare, and the best weights are the best ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from foretext.progress.budget import Clock
from foretext.training.schedule import MEASURING_RATE, VALIDATIONS

__all__ = ["Sample", "choose_sample", "sample_size"]

ENOUGH = 500  # examples, by which weights compare well; with fewer there are fewer measurements
FEWEST = 2  # measurements
LEAST = 16  # examples, however long they take: of fewer some figures cannot be said
FIRST, GROWTH = 16, 4  # examples that are timed, and how many times more come next
PROBE_RATE = 0.0025  # of the time, for the longest of the timed measurements, about


class Sample(NamedTuple):
    """What is measured."""

    size: int  # examples
    seconds: float  # that measuring them takes


def choose_sample(
    measure: Callable[[int], object], num_examples: int, seconds: float, clock: Clock
) -> Sample:
    """Return a sample that can be measured again and again in a tenth of the time.

    Args:
        measure: a sample of a size. The first call is not timed: it makes the kernels ready.
        num_examples: that there are.
        seconds: of the training.
        clock: counts seconds.
    """
    size = min(FIRST, num_examples)
    measure(size)
    while True:
        began = clock()
        measure(size)
        took = clock() - began
        if size == num_examples or took >= PROBE_RATE * seconds:
            break
        size = min(GROWTH * size, num_examples)
    pace = took / size
    chosen = sample_size(pace, num_examples, seconds)
    return Sample(chosen, pace * chosen)


def sample_size(pace: float, num_examples: int, seconds: float) -> int:
    """Return how many examples are measured each time.

    As many as leave room for the usual number of measurements, all if possible. Where these would
    be too few to compare weights by, measurements become fewer, down to two.

    Args:
        pace: seconds that an example takes.
        num_examples: that there are.
        seconds: of the training.
    """
    affordable = MEASURING_RATE * seconds / max(pace, 1e-9)  # examples in all
    size = max(affordable / VALIDATIONS, min(ENOUGH, affordable / FEWEST))
    return min(num_examples, max(LEAST, int(size)))
