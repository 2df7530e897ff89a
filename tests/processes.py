"""Programs that a test starts, none of which outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["run_here", "started", "wait_for_records"]


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


def run_here(command: Sequence[str]) -> None:
    """Run a command ``PYTHON -m foretext ...`` in this process, which has loaded its packages.

    Its errors are raised. What is to be killed, or must not share anything with this process,
    needs one of its own.
    """
    from foretext.cli.app import app

    assert command[1:3] == ["-m", "foretext"]
    app([*command[3:]], standalone_mode=False)


def wait_for_records(
    process: subprocess.Popen[str], run: Path, number: int, seconds: float = 120.0
) -> None:
    """Wait until a run that a process is at has kept more than so many records."""
    metrics, deadline = run / "metrics.jsonl", time.monotonic() + seconds
    while not (metrics.is_file() and metrics.read_bytes().count(b"\n") > number):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, "no records"
        time.sleep(0.01)
