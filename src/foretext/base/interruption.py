"""Ctrl-C and SIGTERM: a request that long work looks at, and an end where nothing does.

Python runs what handles a signal in the main thread, between two of its own steps. A native call
of two minutes is one step. So a thread reads the signals as well, from the pipe into which Python
writes them at once, and where the request has no answer after some seconds it ends the process:
what is on disk is whole, whenever that comes (`foretext.base.leaving`).
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Self

from foretext.base.leaving import leave, leave_soon, waited_until
from foretext.base.system import END_SIGNALS

__all__ = [
    "GO_ON",
    "NOTHING_YET",
    "SIGNALS",
    "STOPPED",
    "Interruption",
    "answered_signals",
    "lent_signals",
    "signalled",
]

SIGNALS = END_SIGNALS
STOPPED = 130  # exit code
ANSWER_SECONDS = 3.5  # for the answer to a signal; then the process ends without one
TOGETHER = 0.3  # seconds: `timeout` and torchrun send a signal to a process and to its group
OFTEN = 0.05  # seconds between two looks at work that a stop waits for

# Messages of `errors.left`.
GO_ON = "go_on"  # what a command says whose folder can be resumed
NOTHING_YET = "nothing_yet"  # what one says that has learned nothing
AT_ONCE = "at_once"
UNANSWERED = "unanswered"


class Interruption:
    """Turns the first Ctrl-C or SIGTERM into a request that long work looks at; a second one kills.

    Outside the main thread, where Python delivers no signals, nothing is ever requested.
    """

    def __init__(self) -> None:
        self.requested: str | None = None  # the signal's name
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            return self
        _at_work.append(self)
        if _answering is None:
            self._before = {number: signal.signal(number, self._request) for number in SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(ValueError):
            _at_work.remove(self)
        self._restore()

    def _request(self, number: int, frame: FrameType | None) -> None:
        for work in _at_work:
            work.requested = signal.Signals(number).name
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before = {}


_at_work: list[Interruption] = []  # of the main thread
_answering: _Answering | None = None


@contextmanager
def answered_signals(if_idle: Callable[[], object] | None = None) -> Iterator[None]:
    """Answer Ctrl-C and SIGTERM within seconds, whatever this process is doing.

    What is at work under an `Interruption` has `ANSWER_SECONDS` for its own end, and as long after
    work that is `waited_for`; a second signal, or none at work, ends the process at once. Within
    another call, or outside the main thread, it changes nothing.

    Args:
        if_idle: called in the main thread by a signal while nothing is at work; None: the process
            ends.
    """
    global _answering
    if _answering is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    answering = _answering = _Answering(if_idle)
    try:
        with answering.listening():
            yield
    finally:
        _answering = None


def signalled() -> bool:
    """Whether a signal has asked this command to end."""
    return _answering is not None and _answering.has_signal


@contextmanager
def lent_signals() -> Iterator[None]:
    """Leave signals to a library that handles them itself; before it does, they are Ctrl-C."""
    answering = _answering
    if answering is None:
        yield
        return
    answering.lent = True
    before = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        answering.lent = False


class _Answering:
    """The signals of one command."""

    def __init__(self, if_idle: Callable[[], object] | None) -> None:
        self._if_idle = if_idle
        self._first: float | None = None  # when the first signal came, by `time.monotonic`
        self._reader, self._writer = socket.socketpair()
        self.has_signal = False  # a signal came
        self.lent = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle the signals within, in the main thread and in one that watches it."""
        before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        self._writer.setblocking(False)
        usual = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        watch = threading.Thread(target=self._watch, name="foretext-signals", daemon=True)
        watch.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(usual)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._writer.close()
            watch.join()
            self._reader.close()

    def forked(self) -> None:
        """Forget the signals in a child process, which they end: the pipe is the parent's."""
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)
            for number in SIGNALS:
                if signal.getsignal(number) == self._handle:
                    signal.signal(number, signal.SIG_DFL)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """Ask what is at work for its end; where nothing is, end."""
        self.has_signal = True
        for work in _at_work:
            work.requested = work.requested or signal.Signals(number).name
        if _at_work:
            return
        if self._if_idle is None:
            leave_soon(STOPPED, AT_ONCE)
        else:
            self._if_idle()

    def _watch(self) -> None:
        """End the process where a signal has no answer, or is the second one."""
        while (number := self._next_signal()) != 0:
            if self.lent:
                self._first = None
                continue
            now = time.monotonic()
            if number is not None and self._first is None:
                self._first = now
            elif number is not None and self._first is not None and now > self._first + TOGETHER:
                leave(STOPPED, AT_ONCE)
            if self._first is not None and now > self._deadline():
                leave(STOPPED, UNANSWERED)

    def _next_signal(self) -> int | None:
        """Return the number of the next signal, None for none so far, 0 at the end of all."""
        seconds = None if self._first is None else OFTEN
        if not select.select([self._reader], [], [], seconds)[0]:
            return None
        found = self._reader.recv(64)
        return next((number for number in found if number in SIGNALS), None) if found else 0

    def _deadline(self) -> float:
        first = self._first if self._first is not None else time.monotonic()
        return max(first, waited_until() or 0.0) + ANSWER_SECONDS


def _forget_in_child() -> None:
    global _answering
    if _answering is not None:
        _answering.forked()
        _answering = None
    _at_work.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
