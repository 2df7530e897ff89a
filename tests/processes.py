"""Programs that a test starts, none of which outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["started"]


@contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a program, and at the end kill it with all that it has started.

    Args:
        command: with its arguments.
        options: of `subprocess.Popen`.
    """
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):  # nothing is left of its session
                os.killpg(process.pid, signal.SIGKILL)
