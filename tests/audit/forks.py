"""Commands of foretext in forked processes, which are killed at a file operation or a moment."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FULL_DISK", "Ended", "run_command", "warm"]

FULL_DISK = "full disk"  # in place of a signal's name

STOPS = (signal.SIGINT, signal.SIGTERM)
MOST_SECONDS = 120  # of one command; more is a hang


class Killer:
    """Counts the file operations in a folder, and kills the process before one of them.

    Args:
        root: the folder.
        operation: the number of the operation; None: no kill.
        how: a signal's name, or "full disk": from this operation on nothing new can be written.
    """

    def __init__(self, root: Path, operation: int | None, how: str = "SIGKILL") -> None:
        self.root, self.operation, self.how = str(root), operation, how
        self.count = 0
        sys.addaudithook(self._heard)
        flush = os.fsync

        def fsync(handle: int) -> None:
            self._one_more(takes_room=True)
            flush(handle)

        os.fsync = fsync

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes and str(path).startswith(self.root):
                self._one_more(takes_room=True)
        elif event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"):
            path = str(arguments[0])
            if path.startswith(self.root) or not path.startswith("/"):  # relative to a handle
                self._one_more(takes_room=event == "os.mkdir")

    def _one_more(self, *, takes_room: bool) -> None:
        self.count += 1
        if self.operation is None or self.count < self.operation:
            return
        if self.how == FULL_DISK:
            if takes_room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        elif self.count == self.operation:
            os.kill(os.getpid(), getattr(signal, self.how))


class Ended(NamedTuple):
    """How a command ended."""

    code: int  # minus the signal's number, where one killed it
    said: str  # on standard error
    operations: int
    waited: float = 0.0  # seconds from the signal of a moment to the end


def run_command(
    arguments: Sequence[str], root: Path, operation: int | None = None, how: str = "SIGKILL",
    seconds: float | None = None, number: signal.Signals = signal.SIGKILL,
) -> Ended:  # fmt: skip
    """Run a command of foretext in a fork.

    Args:
        arguments: of the command.
        root: where what it says is kept; it works in ``work``.
        operation: at which something happens to it; None: at none.
        how: what happens then: a signal's name, or "full disk".
        seconds: after so long it gets a signal, wherever it is; None: it gets none.
        number: the signal.
    """
    said, counted = root / ".said", root / ".counted"
    counted.write_text("0")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # until it can say that it stopped
    child = os.fork()
    if child == 0:
        _be_foretext(arguments, root / "work", operation, how, said, counted)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    signalled = None
    until = time.monotonic() + MOST_SECONDS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        now = time.monotonic()
        if ended:
            break
        if seconds is not None and now > until - MOST_SECONDS + seconds:
            os.kill(child, number)
            seconds, signalled = None, now
        if now > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Ended(-99, f"hung for {MOST_SECONDS} s", 0)
        time.sleep(0.002)
    text = said.read_text(encoding="utf-8", errors="replace")
    code, waited = os.waitstatus_to_exitcode(status), now - (signalled or now)
    return Ended(code, text, int(counted.read_text() or 0), waited)


def _be_foretext(
    arguments: Sequence[str], root: Path, operation: int | None, how: str, said: Path, counted: Path
) -> None:
    code = 1
    try:
        with said.open("w", encoding="utf-8") as errors:
            os.dup2(errors.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
            sys.argv = ["foretext", *arguments]
            killer = Killer(root, operation, how)
            try:
                from foretext.cli import main

                main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            counted.write_text(str(killer.count))
    finally:
        os._exit(code)


def warm(arguments: Sequence[str]) -> None:
    """Run a command here, so that forks find its machine code; its page would leave threads."""
    from foretext.cli import main

    given = [part for part in arguments if part != "--no-report"]
    runs = given[0] in ("pretrain", "finetune")
    sys.argv = ["foretext", *given, *(["--no-report"] if runs else [])]
    with (
        Path(os.devnull).open("w") as null,
        contextlib.redirect_stdout(null),
        contextlib.suppress(SystemExit),
    ):
        main()
