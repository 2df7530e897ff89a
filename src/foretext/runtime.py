"""What a run has of its machine: its cores, and the signals that ask it to stop."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Self

__all__ = [
    "Interruption",
    "is_first_process",
    "num_local_processes",
    "num_processes",
    "usable_cores",
]


def usable_cores() -> int:
    """Return the number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_first_process() -> bool:
    """Whether this process writes and speaks: of those that torchrun started, the first one."""
    return os.environ.get("RANK", "0") == "0"


def num_processes() -> int:
    """Return how many processes train one model: those that torchrun started, or this one."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def num_local_processes() -> int:
    """Return how many of them are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


class Interruption:
    """Turns the first Ctrl-C or SIGTERM into a request that long work looks at; a second one kills.

    Outside the main thread, where Python delivers no signals, nothing is ever requested.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.requested: str | None = None  # the signal's name
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._request) for number in self.SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._restore()

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = signal.Signals(number).name
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before = {}
