"""A worker in a process of its own: what ends that process ends no comparison."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import IO, Any

from foretext.base.errors import BudgetError, ForetextError, Interrupted
from foretext.base.files import atomic_file
from foretext.base.interruption import Interruption
from foretext.base.registry import trusted
from foretext.base.runtime import lacks_memory
from foretext.base.system import creation_flags, ignored_broken_pipe, is_broken_pipe
from foretext.comparison.worker import (
    Cause,
    Done,
    Failed,
    Job,
    JobFailed,
    Message,
    Setup,
    Worker,
    encoded,
    read_message,
)
from foretext.messages import message as say
from foretext.messages import passed_on

__all__ = ["ChildWorker", "described_failure"]

PROGRAM = "foretext.comparison.worker_process"
OFTEN = 0.1  # seconds between two looks at signals and limits
DYING_SECONDS = 10.0  # between the last word of a process and its end
LATE_SECONDS = 5.0  # that a job has to stop by itself at its limit


class ChildWorker(Worker):
    """Does jobs in one process, which is started again where it died.

    Args:
        folder: that the process locks as long as it lives, so that a resumed comparison waits for
            the process of one that was killed.
        program: the module that is run, which calls `foretext.comparison.worker_process.work`.
    """

    def __init__(self, folder: Path, program: str = PROGRAM) -> None:
        self._folder, self._program = folder, program
        self._child: _Child | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._child is not None:
            self._child.end()

    def start(self) -> None:
        """Start the process, which imports what jobs need."""
        self._living()

    def run(self, job: Job, *, limit: float | None = None) -> Any:  # the overloads say which reply
        """Do a job, and return what came of it."""
        began = time.monotonic()
        child = self._asked(job)
        with Interruption() as stop:
            message, is_late = child.awaited(stop, None if limit is None else began + limit)
        code = 0 if child.is_alive and message is not None else child.end(dies=message is None)
        if stop.requested is not None:
            raise Interrupted(_last_words(message, stop.requested))
        seconds = time.monotonic() - began
        match message:
            case Done(reply):
                return reply
            case Failed(sentence, cause):
                raise JobFailed(sentence, cause, seconds)
            case _ if is_late:
                raise JobFailed(f"It was stopped after {limit:.0f} s, its limit.", "late", seconds)
            case None:
                raise JobFailed(_obituary(code), "died", seconds)
            case _:  # somebody has sent the signal to the process alone
                raise Interrupted(message.sentence)

    def _asked(self, job: Job) -> _Child:
        """Give a job to the process, or to another one where it died since the last job."""
        child = self._living()
        if not child.send(encoded(job)):
            child = self._living()
            child.send(encoded(job))
        return child

    def _living(self) -> _Child:
        if self._child is not None and not self._child.is_alive:
            self._child.end()
            self._child = None
        if self._child is None:
            self._child = _Child(self._folder, self._program)
        return self._child


class _Child:
    """One process."""

    def __init__(self, folder: Path, program: str) -> None:
        # No stray module of the working folder takes the place of one that is needed, and a Ctrl-C
        # reaches this process alone, which passes it on once.
        command = [sys.executable, "-P", "-m", program]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            creationflags=creation_flags(),
            env=passed_on(),
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()  # b"": there will be no more
        self._takes_jobs = True
        threading.Thread(target=self._listen, daemon=True).start()
        self.send(encoded(Setup(str(folder), sys.path, trusted())))

    @property
    def is_alive(self) -> bool:
        """Whether it takes jobs."""
        return self._takes_jobs and self._process.poll() is None

    def send(self, line: bytes) -> bool:
        """Write a line; False: the process has ended, and nobody reads it."""
        pipe = _pipe(self._process.stdin)
        try:
            pipe.write(line)
            pipe.flush()
        except OSError as error:
            if not is_broken_pipe(error):
                raise
            self._takes_jobs = False
            return False
        return True

    def awaited(self, stop: Interruption, until: float | None) -> tuple[Message | None, bool]:
        """Return the message on a job, None where the process died, and whether it came late.

        Args:
            stop: what may ask for the end; then the process is asked for it.
            until: when the job is late, by `time.monotonic`; None: never.
        """
        is_late = False
        while True:
            try:
                line = self._lines.get(timeout=OFTEN)
                return (read_message(line) if line else None), is_late
            except Empty:
                is_late = until is not None and time.monotonic() > until
                if is_late or stop.requested is not None:
                    self._close()
                if is_late and until is not None and time.monotonic() > until + LATE_SECONDS:
                    self._process.kill()

    def end(self, *, dies: bool = False) -> int:
        """End the process, which does no job any more, and return its exit code.

        Args:
            dies: whether it ends by itself, for a reason that its exit code tells.
        """
        self._close()
        if dies:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(DYING_SECONDS)
        self._process.kill()  # all is saved, and Python takes seconds to leave
        return self._process.wait()

    def _close(self) -> None:
        """Ask the process to end: that is what the end of its input means."""
        self._takes_jobs = False
        with ignored_broken_pipe():  # of what was not flushed
            _pipe(self._process.stdin).close()

    def _listen(self) -> None:
        with _pipe(self._process.stdout) as pipe:
            for line in pipe:
                self._lines.put(line)
        self._lines.put(b"")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened as a pipe"
    return stream


def _last_words(message: Message | None, requested: str) -> str:
    if message is not None and message.kind == "stopped":
        return message.sentence
    return say("errors.stopped_by", signal=requested)


def _obituary(code: int) -> str:
    if code >= 0:
        return f"Its process ended with exit code {code}."
    name = signal.Signals(-code).name
    cause = ", as the system does where memory is short" if name == "SIGKILL" else ""
    return f"Its process was ended by {name}{cause}."


def described_failure(job: Job, error: Exception) -> tuple[str, Cause]:
    """Return a sentence for a person, and why the job failed.

    The traceback of a defect is kept beside the folder of the job.
    """
    if lacks_memory(error):
        detail = str(error).partition("\n")[0].rstrip(".")
        return (
            f"The memory does not suffice{f' ({detail})' if detail else ''}; free memory, or lower "
            "what sets the size, such as training.batch_examples."
        ), "memory"
    if isinstance(error, BudgetError):
        return str(error), "short"
    if isinstance(error, ForetextError):
        return str(error), "refused"
    if isinstance(error, OSError):
        what = "A file or device" if error.filename is None else str(error.filename)
        cause = error.strerror or str(error) or type(error).__name__
        return f"{what} cannot be read or written: {cause}.", "refused"
    log = Path(job.out).with_name(f"{Path(job.out).name}-traceback.txt")
    with atomic_file(log) as temporary:
        temporary.write_text(
            "".join(traceback.format_exception(error)), encoding="utf-8", newline="\n"
        )
    return f"a defect: {type(error).__name__}: {error}. Report what {log} says.", "defect"
