"""What a verb shows while a person waits for its answer, always on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foretext.progress import Progress

__all__ = ["bar_of", "bar_of_lines", "clock_of"]

FEWEST_SHOWN = 200  # texts; fewer are done at once
BLOCK = 1 << 20  # bytes


def bar_of(texts: Sequence[str], title: str, *, quiet: bool = False) -> Progress:
    """Return the progress over texts; of a few, which are done at once, it shows nothing."""
    from foretext.progress import Progress

    return Progress(title, len(texts), "texts", quiet=quiet or len(texts) < FEWEST_SHOWN)


def bar_of_lines(source: str, title: str) -> Progress:
    """Return the progress over the lines of a file, or of standard input for ``-``.

    It shows nothing where the answers are on the terminal: they are progress enough.
    """
    from foretext.progress import Progress

    number = _num_lines(Path(source)) if source != "-" else None
    few = number is not None and number < FEWEST_SHOWN
    return Progress(title, number, "lines", quiet=True if few or sys.stdout.isatty() else None)


def clock_of(title: str) -> Progress:
    """Return a progress that shows, on a terminal alone, how long something has taken so far."""
    from foretext.progress import Progress

    return Progress(title, None, "", quiet=None)


def _num_lines(path: Path) -> int | None:
    if not path.is_file():
        return None  # whoever reads it says what is wrong
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))
