"""The process that does the jobs of a comparison.

``python -P -m foretext.comparison.worker_process`` reads a `Setup` and then jobs on standard
input, and writes a message for each on standard output; what libraries print goes to standard
error. The end of its input, Ctrl-C or SIGTERM makes it save a checkpoint and stop.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from foretext.base.errors import Interrupted, OutputError
from foretext.base.files import held_folder
from foretext.base.interruption import STOPPED, answered_signals, signalled
from foretext.base.registry import imported, trust
from foretext.base.system import ignored_broken_pipe
from foretext.base.terminal import guarded_streams
from foretext.comparison.child_worker import described_failure
from foretext.comparison.worker import (
    Done,
    Failed,
    Job,
    Message,
    Reply,
    Stopped,
    encoded,
    read_job,
    read_setup,
)
from foretext.messages import message as say

__all__ = ["work"]

Do = Callable[[Job], Reply]

STOPPING_SECONDS = 60.0  # for a last checkpoint; then the process ends without one
WAITING_SECONDS = 90.0  # for the process of a comparison that was killed, which is still saving
OFTEN = 0.1  # seconds between two looks
OOM_SCORE, FIRST_TO_DIE = Path("/proc/self/oom_score_adj"), "800"  # of 1000; see proc(5)
JOBS = "foretext.comparison.jobs:do_job"
USED_BY_JOBS = (  # and imported before the first job comes
    "foretext.finetuning.network",
    "foretext.finetuning.fasttext",
    "foretext.finetuning.linear",
    "foretext.pretraining.language_models",
    "sklearn.linear_model",
)


class Process:
    """Does jobs until its input ends.

    Args:
        input: lines of jobs.
        output: of messages.
        prepare: imports what jobs need, and returns what does one.
    """

    def __init__(self, input: BinaryIO, output: BinaryIO, prepare: Callable[[], Do]) -> None:
        self._input, self._output, self._prepare = input, output, prepare
        self._lines: SimpleQueue[bytes] = SimpleQueue()  # b"": the input has ended
        self._lock = threading.Lock()
        self._at_work = False
        self._has_ended = False

    def run(self) -> None:
        """Do one job after another."""
        _volunteer()
        setup = read_setup(self._input.readline())
        sys.path[:] = setup.modules or sys.path
        trust(*setup.trusted)
        threading.Thread(target=self._listen, daemon=True).start()
        with _held_when_free(Path(setup.folder)):
            do = self._prepare()
            while (line := self._lines.get()) and self._answer(read_job(line), do):
                pass
        gc.freeze()  # or Python looks for garbage in all of PyTorch before it ends

    def _answer(self, job: Job, do: Do) -> bool:
        """Do a job, and say what came of it; False: the process has to end."""
        try:
            with self._working():
                message = _message(job, do)
        except (Interrupted, KeyboardInterrupt) as stop:
            message = Stopped(str(stop) or say("errors.stopped"))
        self._send(message)
        return message.kind != "stopped"

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Let the end of the input interrupt what happens within."""
        with self._lock:
            if self._has_ended:
                raise KeyboardInterrupt
            self._at_work = True
        try:
            yield
        finally:
            with self._lock:
                self._at_work = False

    def _listen(self) -> None:
        """Take lines while a job is done; at their end interrupt it."""
        for line in self._input:
            self._lines.put(line)
        self._lines.put(b"")
        with self._lock:
            self._has_ended = True
            if self._at_work and not signalled():  # a batch system sends one to all processes
                _interrupt()
        time.sleep(STOPPING_SECONDS)
        os._exit(1)  # a call into C never came back

    def _send(self, message: Message) -> None:
        with ignored_broken_pipe():  # the comparison was killed; its folder has the reply
            self._output.write(encoded(message))
            self._output.flush()


def work(prepare: Callable[[], Do]) -> None:
    """Be the process that `ChildWorker` starts; `prepare` returns what does a job."""
    try:
        with answered_signals(_stop), guarded_streams(), redirect_stdout(sys.stderr):
            Process(*_own_pipes(), prepare).run()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except OutputError as error:
        sys.exit(str(error))


def _stop() -> None:
    """Tell whoever waits for the job, in place of an end without a word."""
    raise KeyboardInterrupt


def _prepare() -> Do:
    for name in USED_BY_JOBS:
        importlib.import_module(name)
    gc.freeze()  # or each job looks for garbage in all of PyTorch
    do: Do = imported(JOBS)
    return do


def _message(job: Job, do: Do) -> Message:
    try:
        return Done(do(job))
    except Interrupted:
        raise
    except Exception as error:
        return Failed(*described_failure(job, error))


@contextmanager
def _held_when_free(folder: Path) -> Iterator[None]:
    """Lock a folder, once a process that a killed comparison left has let go of it.

    Raises:
        OutputError: it never does.
    """
    until = time.monotonic() + WAITING_SECONDS
    while True:
        try:
            held = held_folder(folder)
            held.__enter__()
            break
        except OutputError:
            if time.monotonic() > until:
                raise
            time.sleep(OFTEN)
    try:
        yield
    finally:
        held.__exit__(None, None, None)


def _volunteer() -> None:
    """Where memory is short, let the system end this process, and not the comparison."""
    with suppress(OSError):  # another system, or a container that forbids it
        OOM_SCORE.write_text(FIRST_TO_DIE, encoding="ascii")


def _interrupt() -> None:
    """Give the main thread a Ctrl-C, also where it waits for the system."""
    main_thread = threading.main_thread().ident
    if sys.platform == "win32" or main_thread is None:
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(main_thread, signal.SIGINT)


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes, which no library reads or writes by accident."""
    pipes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipes


if __name__ == "__main__":
    work(_prepare)
