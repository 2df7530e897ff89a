"""How a process ends at once: without Python's own end, and with nothing half-done left behind.

A native call cannot be broken off, and Python's own end waits for the threads that are in one. So
a command that has to end leaves by `os._exit`. What it must not leave behind (child processes,
temporary folders, a hidden cursor) is undone before, by acts that whoever makes such a thing names.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from foretext.messages import message

__all__ = [
    "Act",
    "leave",
    "leave_soon",
    "moving",
    "undone_when_leaving",
    "waited_for",
    "waited_until",
]

# Undoes something; returns how the user goes on, if it knows: a message of `errors.left`.
Act = Callable[[], str | None]

KEPT = "kept"
PATIENCE = 1.0  # seconds for another thread that moves files, or is leaving

_moving = threading.RLock()
_acts: dict[object, Act] = {}
_leaving = threading.Lock()


class _Thread(threading.local):
    """What this thread is doing, which a handler of signals may interrupt."""

    moves = 0  # calls of `moving` that it is within
    leaves = False
    postponed: tuple[int, str] | None = None  # arguments of `leave`, for the end of `moving`


_here = _Thread()


class _WaitedFor:
    """Work that a stop waits for, such as a checkpoint that is being written."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = 0
        self.ended: float | None = None  # by `time.monotonic`, the newest


_work = _WaitedFor()


@contextmanager
def undone_when_leaving(act: Act) -> Iterator[None]:
    """Have an act done where the process leaves while the caller is within."""
    key = object()
    _acts[key] = act
    try:
        yield
    finally:
        _acts.pop(key, None)


@contextmanager
def moving() -> Iterator[None]:
    """Let finished files take their final names; nobody leaves before they have."""
    with _moving:
        _here.moves += 1
        try:
            yield
        finally:
            _here.moves -= 1
    if _here.postponed is not None and not _here.moves:
        leave(*_here.postponed)


@contextmanager
def waited_for() -> Iterator[None]:
    """Let the first signal wait for what happens within; a second one does not."""
    with _work.lock:
        _work.running += 1
    try:
        yield
    finally:
        with _work.lock:
            _work.running -= 1
            _work.ended = time.monotonic()


def waited_until() -> float | None:
    """Return the end of work that is waited for, by `time.monotonic`: now, while there is any."""
    return time.monotonic() if _work.running else _work.ended


def leave_soon(code: int, why: str) -> None:
    """Leave, from a handler of signals, which may have interrupted what must come to its end.

    A thread that is moving files leaves when they have their names; one that is leaving goes on.
    """
    if _here.leaves:
        return
    if _here.moves:
        _here.postponed = (code, why)
        return
    leave(code, why)


def leave(code: int, why: str) -> NoReturn:
    """End the process, from any thread, after all acts, the newest first.

    Args:
        code: exit code.
        why: the beginning of the sentence on standard error, a message of `errors.left`; an act
            may say how it goes on.
    """
    if not _leaving.acquire(blocking=False):  # another thread does it
        time.sleep(PATIENCE)
        os._exit(code)
    _here.leaves = True
    moves = _moving.acquire(timeout=PATIENCE)
    remedies = [] if not moves else [_done(act) for act in reversed(list(_acts.values()))]
    remedy = next(filter(None, remedies), KEPT)
    _write(why, remedy)
    os._exit(code)


def _done(act: Act) -> str | None:
    with suppress(Exception):  # the process ends all the same
        return act()
    return None


def _write(why: str, remedy: str) -> None:
    """Write to standard error past all buffers and locks, which a thread may hold."""
    with suppress(Exception):  # likewise
        parts = {"why": message(f"errors.left.{why}"), "remedy": message(f"errors.left.{remedy}")}
        said = f"foretext: {message('errors.left.sentence', **parts)}\n"
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        if os.name == "posix":
            os.set_blocking(2, False)  # nobody may read it any more
        os.write(2, said.encode(encoding, "backslashreplace"))
        if os.name == "posix":
            os.set_blocking(2, True)  # the shell has the same terminal


def _forget_in_child() -> None:
    """Leave what is the parent's to the parent."""
    global _leaving, _moving
    _acts.clear()
    _leaving, _moving, _work.lock = threading.Lock(), threading.RLock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
