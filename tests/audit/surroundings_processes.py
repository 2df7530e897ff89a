"""Surroundings that other processes make: signals, and a second one at the same work."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.audit.surroundings_table import Launch, rows

__all__ = ["ROWS"]


def signalled(launch: Launch, when: tuple[int, float]) -> Iterator[None]:
    launch.signalled = when
    yield


def beside_another(launch: Launch, options: tuple[str, ...]) -> Iterator[None]:
    """Another process works on the same result, and goes on until we have seen the second."""
    launch.out = str(launch.folder / "out")
    endless = ("--set", "vectors.epochs=100000", "--set", "training.steps=100000")
    first = subprocess.Popen(
        [*launch.command(), *map(os.fsencode, endless[:2] if "word2vec" in launch.arguments
                                 else endless[2:])],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=launch.environment,
    )  # fmt: skip
    try:
        wait_for(lambda: Path(os.fsdecode(launch.out)).exists() or first.poll() is not None)
        launch.options = options
        yield
        assert first.poll() is None, "the second process ended the first"
    finally:
        first.terminate()
        first.communicate(timeout=30)


def wait_for(happened: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(0.02)


ROWS = [
    *rows(
        "all",
        {
            f"{signal.Signals(number).name} after {moment} s": (number, moment)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)
            for moment in (0.0, 0.1, 0.3, 0.6, 1.0, 2.0)
        },
        signalled,
        ["SIGTERM after 0.1 s", "SIGINT after 0.3 s"],
    ),
    *rows(
        "word2vec",
        {
            "another process at work": (),
            "another at work, --overwrite": ("--overwrite",),
            "another at work, --resume": ("--resume",),
        },
        beside_another,
        ["another at work, --overwrite"],
    ),
]
