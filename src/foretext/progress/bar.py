"""A bar on a terminal, a line every few seconds elsewhere, nothing when quiet.

All of it goes to standard error, so that a result on standard output stays clean.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from foretext.progress.figures import human_count, human_figure, human_seconds
from foretext.terminal import visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["Progress"]

LINE_SECONDS = 5.0  # between two lines where there is no terminal
BAR_WIDTH = 24
RATE_SECONDS = 10.0  # the rate shown is that of the last so many seconds


class Progress:
    """Shows how far a piece of work has come; `advance` it from one thread.

    Args:
        title: what is being done, in a word or two.
        total: the amount of work in `unit`, or None when nobody knows.
        unit: what is counted, in the plural: words, bytes, documents.
        initial: what a resumed run had done before; it counts in the share, not in the rate.
        quiet: show nothing; `done` and `rate` are kept all the same.
        stream: where to write; standard error when None.
    """

    def __init__(
        self,
        title: str,
        total: float | None,
        unit: str,
        *,
        initial: float = 0.0,
        quiet: bool = False,
        stream: TextIO | None = None,
    ) -> None:
        self.title = title
        self.total = total
        self.unit = unit
        self.initial = initial
        self.done = initial
        self.figures: dict[str, float] = {}
        self._quiet = quiet
        self._stream = stream or sys.stderr
        self._exits = ExitStack()
        self._on_terminal = _is_terminal(self._stream)
        self._ended: float | None = None
        self._begin()

    def __enter__(self) -> Self:
        self._begin()
        if self._on_terminal and not self._quiet:
            self._show_bar()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended = time.monotonic()
        self._exits.close()
        if not self._on_terminal:
            self._write_line()

    def advance(self, amount: float, **figures: float) -> None:
        """Add `amount` of work just done; `figures` (loss=2.1) stay shown until the next ones."""
        now = time.monotonic()
        self.done += amount
        self.figures = self.figures | figures  # a new dict: the bar's thread may be reading the old
        self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[1][0] >= RATE_SECONDS:
            self._marks.popleft()
        if not self._on_terminal and now - self._last_line >= LINE_SECONDS:
            self._write_line()

    @property
    def elapsed(self) -> float:
        """Seconds since the work began, up to its end."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def rate(self) -> float:
        """Units a second: of the last few seconds, or of the whole once it has ended."""
        if self._ended is not None:
            return (self.done - self.initial) / max(self.elapsed, 1e-9)
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / max(last - first, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end at the present rate, or None when that cannot be said."""
        if self.total is None or self._ended is not None or self.rate <= 0:
            return None
        return max(self.total - self.done, 0.0) / self.rate

    def line(self) -> str:
        """Return all there is to say, in one line of text."""
        return "  ".join(part for part in (self.title, self._share(), *self._facts()) if part)

    def _begin(self) -> None:
        self._began = self._last_line = time.monotonic()
        self._marks = deque([(self._began, self.done)])

    def _share(self) -> str:
        if self.total is None:
            return f"{human_count(self.done)} {self.unit}"
        return f"{100 * min(self.done / self.total, 1.0) if self.total else 100:.0f} %"

    def _facts(self) -> list[str]:
        facts = [] if self.unit == "seconds" else [f"{human_count(self.rate)} {self.unit}/s"]
        facts += [
            f"{name.replace('_', ' ')} {human_figure(value)}"
            for name, value in self.figures.items()
        ]
        facts.append(human_seconds(self.elapsed))
        if (left := self.seconds_left) is not None:
            facts.append(f"{human_seconds(left)} left")
        return facts

    def _write_line(self) -> None:
        self._last_line = time.monotonic()
        if not self._quiet:
            self._stream.write(f"{visible(self.line())}\n")
            self._stream.flush()

    def _show_bar(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream)
        live = Live(
            get_renderable=lambda: self._bar(console.width),
            console=console,
            refresh_per_second=4,
            redirect_stdout=False,  # or results would land on standard error
        )
        self._exits.enter_context(live)

    def _bar(self, width: int) -> Table:
        """Return the line with a bar in the place that the text leaves."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        place = min(BAR_WIDTH, width - len(self.line()) - 4)
        parts: list[RenderableType] = [Text(visible(self.title))]
        if place > 0:
            pulse = self.total is None and self._ended is None
            parts.append(ProgressBar(self.total, self.done, width=place, pulse=pulse))
        parts.append(Text("  ".join((self._share(), *self._facts()))))
        row = Table.grid(*("" for _ in parts), padding=(0, 2))
        for column in row.columns:
            column.no_wrap = True
        row.add_row(*parts)
        return row


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"
