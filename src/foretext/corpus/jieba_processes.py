"""Chinese text cut by several processes: Python code such as jieba runs in one thread at a time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from queue import SimpleQueue
from threading import Lock
from types import TracebackType
from typing import IO, Self

from foretext.corpus.jieba_words import is_jieba_unchanged
from foretext.corpus.jieba_worker import WORKS, Work, read_text, write_text
from foretext.errors import CorpusError

__all__ = ["JiebaHelpers", "JiebaProcesses"]

LITTLE = 1 << 19  # characters, cut in the time that it takes to start processes


class JiebaProcesses:
    """Processes that cut text; as many threads may ask them.

    Args:
        number: of processes.
        work: what they do, a row of `foretext.corpus.jieba_worker.WORKS`.
    """

    def __init__(self, number: int, work: Work = "separate") -> None:
        self._number, self._work = number, work
        self._exits = ExitStack()
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "foretext.corpus.jieba_worker", self._work]
        for _ in range(self._number):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            process = subprocess.Popen(command, **pipes)  # type: ignore[call-overload]
            self._exits.callback(_end, process)
            self._idle.put(process)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def cut(self, text: str) -> str:
        """Return what becomes of `text`.

        Raises:
            CorpusError: a process has ended, as the system ends some where memory is short.
        """
        process = self._idle.get()
        try:
            found = _asked(process, text)
        finally:
            self._idle.put(process)
        if found is None:
            raise CorpusError(
                f"A process that cuts Chinese words ended (code {process.wait()}); free memory and "
                "run again (word vectors: or set vectors.workers = 1)."
            )
        return found


class JiebaHelpers:
    """This process cuts a little text; processes are started where there is more.

    They know nothing of words that somebody has added to this one's jieba: then it cuts all.

    Args:
        number: of processes.
        work: what is done, a row of `foretext.corpus.jieba_worker.WORKS`.
    """

    def __init__(self, number: int, work: Work) -> None:
        self._number, self._work = number, work
        self._left = LITTLE  # characters for this process
        self._lock = Lock()
        self._exits = ExitStack()
        self._processes: JiebaProcesses | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def cut(self, text: str) -> str:
        """Return what becomes of `text`; several threads may ask.

        Raises:
            CorpusError: a process has ended.
        """
        processes = self._started(len(text))
        return WORKS[self._work](text) if processes is None else processes.cut(text)

    def _started(self, size: int) -> JiebaProcesses | None:
        with self._lock:
            self._left -= size
            if self._left < 0 and self._number > 1 and self._processes is None:
                if not is_jieba_unchanged():
                    self._number = 1
                    return None
                processes = JiebaProcesses(self._number, self._work)
                self._processes = self._exits.enter_context(processes)
            return self._processes


def _asked(process: subprocess.Popen[bytes], text: str) -> str | None:
    """Have a process cut a text; None where it has ended."""
    to, back = _pipe(process.stdin), _pipe(process.stdout)
    try:
        write_text(to, text)  # type: ignore[arg-type]
    except BrokenPipeError:
        return None
    return read_text(back)  # type: ignore[arg-type]


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened as a pipe"
    return stream


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()  # it keeps nothing
    process.wait()
    _pipe(process.stdin).close()
    _pipe(process.stdout).close()
