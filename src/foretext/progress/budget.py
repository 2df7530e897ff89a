"""The wall-clock time that a command may take, on one clock from its start to its end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from foretext.base.terminal import say
from foretext.kernels.compile import when_compiling
from foretext.messages import message

__all__ = ["Budget", "Clock", "duration_option", "tell_of_compiling"]

Clock = Callable[[], float]  # seconds from any moment; it never goes back


@dataclass(frozen=True)
class Budget:
    """A number of seconds, and the moment from which they count.

    It is made once, when the command begins, and given to whatever has to end in time: reading,
    training and measuring all ask the same clock.

    Attributes:
        seconds: for everything.
        began: what the clock showed at the start.
        clock: counts seconds; a test gives one of its own.
    """

    seconds: float
    began: float
    clock: Clock = time.monotonic

    @classmethod
    def started(cls, seconds: float, *, used: float = 0.0, clock: Clock = time.monotonic) -> Self:
        """Start the clock now.

        Args:
            seconds: for everything.
            used: seconds that count as gone already, such as those of an interrupted run.
            clock: counts seconds.
        """
        return cls(seconds, clock() - used, clock)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.began

    @property
    def left(self) -> float:
        """Seconds to the end; below 0 when the time is over."""
        return self.seconds - self.elapsed

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0

    def extended(self, seconds: float) -> Self:
        """Return the budget with more seconds, on the same clock."""
        return replace(self, seconds=self.seconds + seconds)


def duration_option(seconds: float) -> str:
    """Return a time as ``--budget`` takes it, rounded up: ``40s``, ``5m``, ``2h``."""
    if seconds <= 90:
        return f"{10 * math.ceil(seconds / 10)}s"
    if seconds <= 90 * 60:
        return f"{math.ceil(seconds / 60)}m"
    return f"{math.ceil(seconds / 3600)}h"


def tell_of_compiling(*, quiet: bool) -> None:
    """Have one line on standard error where this run compiles what no earlier one has left."""
    when_compiling(_nothing if quiet else _say)


def _say() -> None:
    say(message("progress.compiling"), error=True)


def _nothing() -> None:
    pass
