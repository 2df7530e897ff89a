"""Where progress is shown: a bar on a terminal, a line that changes in a notebook, else lines."""

from __future__ import annotations

import html
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from foretext.base.leaving import undone_when_leaving
from foretext.base.terminal import show_cursor, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from foretext.progress.bar import Progress

__all__ = ["Display", "choose_display", "is_quiet"]

LINE_SECONDS = 5.0  # between two lines where there is no terminal
NOTEBOOK_SECONDS = 0.5  # between two changes of the line in a notebook
BAR_WIDTH = 24


class Display(Protocol):
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


def choose_display(progress: Progress, stream: TextIO | None, *, quiet: bool | None) -> Display:
    """Return what shows `progress`: on `stream`, or where a person is, when that is None."""
    if is_quiet(quiet):
        return Nowhere()
    if stream is None and _is_notebook():
        return NotebookLine(progress)
    stream = stream or sys.stderr
    if stream is None:  # it was closed
        return Nowhere()
    return TerminalBar(progress, stream) if _is_terminal(stream) else Lines(progress, stream)


class Nowhere(Display):
    """Shows nothing."""

    def begin(self) -> None:
        pass

    def update(self) -> None:
        pass

    def end(self) -> None:
        pass


class Lines(Display):
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


class TerminalBar(Display):
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
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress = self._progress
        place = min(BAR_WIDTH, width - len(progress.line()) - 4)
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


class NotebookLine(Display):
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
