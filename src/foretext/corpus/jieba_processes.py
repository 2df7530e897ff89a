"""Chinese text cut by several processes: Python code such as jieba runs in one thread at a time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self

from foretext.corpus.jieba_worker import read_text, write_text
from foretext.errors import CorpusError

__all__ = ["JiebaProcesses"]


class JiebaProcesses:
    """Processes that cut text as `separate_words` does; as many threads may ask them.

    Args:
        number: of processes.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._exits = ExitStack()
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "foretext.corpus.jieba_worker"]
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

    def separate(self, text: str) -> str:
        """Return `text` with blanks between its words.

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
                f"A process that cuts Chinese words ended (code {process.wait()}); free memory, or "
                "set vectors.workers = 1."
            )
        return found


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
