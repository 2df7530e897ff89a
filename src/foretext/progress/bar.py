"""How far a piece of work has come, how fast it goes, and how long it will still take.

Where it is shown is chosen in `foretext.progress.displays`: never on standard output, so that a
result there stays clean.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TextIO, TypeVar

from foretext.progress.displays import choose_display
from foretext.progress.figures import human_count, human_figure, human_seconds

__all__ = ["Progress"]

Item = TypeVar("Item")

RATE_SECONDS = 10.0  # the rate shown is that of the last so many seconds


class Progress:
    """Shows how far a piece of work has come; `advance` it from one thread.

    Args:
        title: what is being done, in a word or two.
        total: the amount of work in `unit`, or None when nobody knows.
        unit: what is counted, in the plural: words, bytes, documents.
        initial: what a resumed run had done before; it counts in the share, not in the rate.
        quiet: show nothing; None: show it on a terminal and in a notebook, and nowhere else.
            `done` and `rate` are kept all the same.
        stream: where to write; None: into the notebook, or to standard error.
    """

    def __init__(
        self,
        title: str,
        total: float | None,
        unit: str,
        *,
        initial: float = 0.0,
        quiet: bool | None = False,
        stream: TextIO | None = None,
    ) -> None:
        self.title = title
        self.total = total
        self.unit = unit
        self.initial = initial
        self.done = initial
        self.figures: dict[str, float] = {}
        self._ended: float | None = None
        self._display = choose_display(self, stream, quiet=quiet)
        self._begin()

    def __enter__(self) -> Self:
        self._begin()
        self._display.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended = time.monotonic()
        self._display.end()

    def advance(self, amount: float, **figures: float) -> None:
        """Add `amount` of work just done; `figures` (loss=2.1) stay shown until the next ones."""
        now = self._working_seconds()
        self.done += amount
        self.figures = self.figures | figures  # a new dict: the bar's thread may be reading the old
        self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[1][0] >= RATE_SECONDS:
            self._marks.popleft()
        self._display.update()

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items, and advance by one for each that was taken."""
        for item in items:
            yield item
            self.advance(1)

    def stage(self, title: str) -> None:
        """Begin a part of the work that cannot be measured: only its time is shown."""
        self.title, self.total, self.unit = f"{self.title}: {title}", None, ""
        self._display.update()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the time within out of the rate: a measurement, or a checkpoint that is written."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._idle += time.monotonic() - began

    @property
    def elapsed(self) -> float:
        """Seconds since the work began, pauses too, up to its end."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self._ended is not None

    @property
    def is_complete(self) -> bool:
        """Whether all of the work is done, where it is known how much that is."""
        return self.total is not None and self.done >= self.total

    @property
    def rate(self) -> float:
        """Units a second, pauses apart: of the last seconds, or of the whole once it has ended."""
        if self._ended is not None:
            return (self.done - self.initial) / max(self._working_seconds(), 1e-9)
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / max(last - first, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end at the present rate, or None when that cannot be said."""
        if self.total is None or self._ended is not None:
            return None
        left = max(self.total - self.done, 0.0)
        if self.unit == "seconds":
            return left  # pauses are a part of a time
        return left / self.rate if self.rate > 0 else None

    @property
    def share(self) -> float | None:
        """How much of the work is done, from 0 to 1, or None when nobody knows how much it is."""
        if self.total is None:
            return None
        return min(self.done / self.total, 1.0) if self.total else 1.0

    def line(self) -> str:
        """Return all there is to say, in one line of text."""
        return "  ".join(part for part in (self.title, *self.facts()) if part)

    def facts(self) -> list[str]:
        """Return what is said beside the title: share, rate, figures, times."""
        facts = [*self._amounts(), *self._figures()]
        facts.append(human_seconds(self.elapsed))
        if (left := self.seconds_left) is not None:
            facts.append(f"{human_seconds(left)} left")
        return facts

    def _amounts(self) -> list[str]:
        """How much is done, and how fast; nothing of a stage, which cannot be measured."""
        if not self.unit:
            return []
        amount = f"{human_count(self.done)} {self.unit}"
        amounts = [amount if self.share is None else f"{100 * self.share:.0f} %"]
        if self.unit != "seconds":
            amounts.append(f"{human_count(self.rate)} {self.unit}/s")
        return amounts

    def _figures(self) -> list[str]:
        return [
            f"{name.replace('_', ' ')} {human_figure(value)}"
            for name, value in self.figures.items()
        ]

    def _begin(self) -> None:
        self._began = time.monotonic()
        self._idle = 0.0  # seconds of the pauses
        self._marks = deque([(0.0, self.done)])  # working seconds, and what was done by then

    def _working_seconds(self) -> float:
        return self.elapsed - self._idle
