"""How far a piece of work has come, how fast it goes, and how long it will still take.

It is never shown on standard output, so that a result there stays clean.
"""

from __future__ import annotations

import html
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO, TypeVar

from foretext.base.leaving import undone_when_leaving
from foretext.base.terminal import show_cursor, visible
from foretext.messages import has_message, in_language, language, message

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = [
    "Progress",
    "human_bytes",
    "human_count",
    "human_figure",
    "human_seconds",
    "is_quiet",
    "seconds_in_words",
]

Item = TypeVar("Item")

RATE_SECONDS = 10.0  # the rate shown is that of the last so many seconds

LINE_SECONDS = 5.0  # between two lines where there is no terminal
NOTEBOOK_SECONDS = 0.5  # between two changes of the line in a notebook
BAR_WIDTH = 24

SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


class Progress:
    """Shows how far a piece of work has come; `advance` it from one thread.

    Args:
        title: what is being done, in a word or two of the reader's language.
        total: the amount of work in `unit`, or None when nobody knows.
        unit: what is counted, in the plural: words, bytes, documents; shown in that language.
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
        self._language = language()  # of the thread that began; the bar's own thread has none
        self._ended: float | None = None
        self._display = _choose_display(self, stream, quiet=quiet)
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
        with in_language(self._language):
            facts = [*self._amounts(), *self._figures()]
            facts.append(human_seconds(self.elapsed))
            if (left := self.seconds_left) is not None:
                facts.append(message("terminal.left", time=human_seconds(left)))
        return facts

    def _amounts(self) -> list[str]:
        """How much is done, and how fast; nothing of a stage, which cannot be measured."""
        if not self.unit:
            return []
        unit = _said(f"progress.unit.{self.unit}", self.unit)
        amount = f"{human_count(self.done)} {unit}"
        amounts = [amount if self.share is None else f"{100 * self.share:.0f} %"]
        if self.unit != "seconds":
            rate = human_count(self.rate)
            amounts.append(message("progress.rate", rate=rate, unit=unit))
        return amounts

    def _figures(self) -> list[str]:
        return [
            f"{_said(f'progress.figure.{name}', name)} {human_figure(value)}"
            for name, value in self.figures.items()
        ]

    def _begin(self) -> None:
        self._began = time.monotonic()
        self._idle = 0.0  # seconds of the pauses
        self._marks = deque([(0.0, self.done)])  # working seconds, and what was done by then

    def _working_seconds(self) -> float:
        return self.elapsed - self._idle


def _said(key: str, name: str) -> str:
    """Return a unit or a figure in the reader's language; one of code from outside by its name."""
    return message(key) if has_message(key) else name.replace("_", " ")


class _Display(Protocol):
    """Shows one `Progress` to a person, or to nobody."""

    def begin(self) -> None:
        """The work begins."""

    def update(self) -> None:
        """Some work was done."""

    def end(self) -> None:
        """The work has ended, or has failed."""


def is_quiet(quiet: bool | None) -> bool:
    """Return whether nothing is shown; None: show progress on a terminal and in a notebook."""
    return not (_is_terminal(sys.stderr) or _is_notebook()) if quiet is None else quiet


def _choose_display(progress: Progress, stream: TextIO | None, *, quiet: bool | None) -> _Display:
    """Return what shows `progress`: on `stream`, or where a person is, when that is None."""
    if is_quiet(quiet):
        return Nowhere()
    if stream is None and _is_notebook():
        return NotebookLine(progress)
    stream = stream or sys.stderr
    if stream is None:  # it was closed
        return Nowhere()
    return TerminalBar(progress, stream) if _is_terminal(stream) else Lines(progress, stream)


class Nowhere(_Display):
    """Shows nothing."""

    def begin(self) -> None:
        pass

    def update(self) -> None:
        pass

    def end(self) -> None:
        pass


class Lines(_Display):
    """A line every few seconds, and a last one."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        self._progress, self._stream = progress, stream
        self._written = 0.0  # seconds of the progress at the newest line

    def begin(self) -> None:
        pass

    def update(self) -> None:
        # The last line comes at the end; without this it would be there twice.
        due = self._progress.elapsed - self._written >= LINE_SECONDS
        if due and not self._progress.is_complete:
            self._write()

    def end(self) -> None:
        self._write()

    def _write(self) -> None:
        self._written = self._progress.elapsed
        self._stream.write(f"{visible(self._progress.line())}\n")
        self._stream.flush()


class TerminalBar(_Display):
    """A bar that rich draws; it stays when the work is done."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        self._progress, self._stream = progress, stream
        self._exits = ExitStack()

    def begin(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream)
        live = Live(
            get_renderable=lambda: self._row(console.width),
            console=console,
            refresh_per_second=4,
            redirect_stdout=False,  # or results would land on standard error
        )
        self._exits.enter_context(live)
        self._exits.enter_context(undone_when_leaving(show_cursor))

    def update(self) -> None:
        pass  # rich's thread draws

    def end(self) -> None:
        self._exits.close()

    def _row(self, width: int) -> Table:
        """Return the line with a bar in the place that the text leaves."""
        from rich.cells import cell_len
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress = self._progress
        place = min(BAR_WIDTH, width - cell_len(progress.line()) - 4)
        parts: list[RenderableType] = [Text(visible(progress.title))]
        if place > 0:
            pulse = progress.total is None and not progress.has_ended
            bar = ProgressBar(progress.total, progress.done, width=place, pulse=pulse)
            parts.append(bar)
        parts.append(Text("  ".join(progress.facts())))
        row = Table.grid(*("" for _ in parts), padding=(0, 2))
        for column in row.columns:
            column.no_wrap = True
        row.add_row(*parts)
        return row


class NotebookLine(_Display):
    """One line of a Jupyter notebook, which changes in its place; it needs no ipywidgets."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._handle: Any = None
        self._shown = 0.0  # seconds of the progress at the newest change

    def begin(self) -> None:
        from IPython.display import display

        self._handle = display(self._forms(), raw=True, display_id=True)

    def update(self) -> None:
        if self._progress.elapsed - self._shown >= NOTEBOOK_SECONDS:
            self._show()

    def end(self) -> None:
        self._show()

    def _show(self) -> None:
        self._shown = self._progress.elapsed
        self._handle.update(self._forms(), raw=True)

    def _forms(self) -> dict[str, str]:
        """Return the line for a browser and for programs that show text only."""
        progress = self._progress
        line = visible(progress.line())
        share = progress.share
        bar = "" if share is None else f'<progress value="{share:.4f}" max="1"></progress> '
        return {"text/plain": line, "text/html": f"{bar}<code>{html.escape(line)}</code>"}


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def _is_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython is not imported to find out."""
    module: Any = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and "IPKernelApp" in shell.config


def human_count(count: float) -> str:
    """Return about three digits and a scale: ``999``, ``1.2 k``, ``12.3 M``, ``123 G``."""
    number, letter = _scaled(count)
    return f"{number} {letter}" if letter else number


def human_bytes(count: float) -> str:
    """Return a size in decimal units: ``512 B``, ``1.2 MB``."""
    number, letter = _scaled(count)
    return f"{number} {letter}B"


def human_seconds(seconds: float) -> str:
    """Return a duration as ``mm:ss``, or ``h:mm:ss`` from one hour on."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"


def seconds_in_words(seconds: float) -> str:
    """Return an estimate for a sentence: ``a second``, ``42 seconds``, ``3 minutes``."""
    if seconds >= 5400:
        return message("notes.time.hours", hours=seconds / 3600)
    if seconds >= 90:
        return message("notes.time.minutes", minutes=seconds / 60)
    key = "seconds" if seconds >= 1.5 else "second"
    return message(f"notes.time.{key}", seconds=seconds)


def human_figure(value: float) -> str:
    """Return a loss, a learning rate or a score with four digits that count; 12.3 k for more."""
    if abs(value) >= 1000:
        return human_count(value)
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.4g}" if value == 0 or abs(value) < 0.1 else f"{value:.3f}"


def _scaled(count: float) -> tuple[str, str]:
    """Return the number and the letter of the scale that its rounded value falls in."""
    # 999,950 is 1.0 M, not 1000 k
    size, letter = next((scale for scale in SCALES if abs(count) >= 0.9995 * scale[0]), SCALES[-1])
    number = count / size
    whole = abs(number) >= 99.95 or (letter == "" and float(number).is_integer())
    return f"{number:.0f}" if whole else f"{number:.1f}", letter
