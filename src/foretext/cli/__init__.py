"""The command line: one verb a file; it parses and prints, and decides nothing."""

from __future__ import annotations

import os
import signal
from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run one command; an error becomes a sentence on standard error."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    from foretext.cli.entry import run  # takes a moment, in which a signal may come

    run()


def _end(number: int, frame: FrameType | None) -> None:
    """End before anything has begun, or after all was done."""
    os.write(2, b"foretext: Stopped by a signal; what was saved before it is kept.\n")
    os._exit(130)
