"""Several processes clean shards; with one, this process does."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self

from foretext.cleaning.documents import Shard
from foretext.cleaning.messages import read_answer, shard_line, start_lines
from foretext.cleaning.request import Request
from foretext.cleaning.shard_cleaning import ShardCleaner
from foretext.errors import ForetextError, SettingError

__all__ = ["Workers"]

Process = subprocess.Popen[bytes]


class Workers:
    """Processes that clean shards; as many threads may ask them.

    Args:
        number: of processes.
        request: what is asked for.
        work: where the folders of shards stand.

    Raises:
        ForetextError: the model of languages or a test set cannot be read.
    """

    def __init__(self, number: int, request: Request, work: Path) -> None:
        self.number = number
        self._request, self._work = request, work
        self._cleaner = ShardCleaner(request, work) if number == 1 else None
        self._exits = ExitStack()
        self._idle: SimpleQueue[Process] = SimpleQueue()

    def __enter__(self) -> Self:
        for _ in range(self.number if self._cleaner is None else 0):
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "foretext.cleaning.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._exits.callback(_end, process)
            self._idle.put(process)
            _pipe(process.stdin).write(start_lines(self._request, self._work))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def clean(self, shard: Shard) -> int:
        """Clean a shard, and return the stored bytes that were read for it.

        Raises:
            ForetextError: a text cannot be cleaned or written, or a process has ended.
        """
        if self._cleaner is not None:
            self._cleaner.clean(shard.number, shard.documents)
            return shard.num_bytes
        process = self._idle.get()
        try:
            answer = _asked(process, shard)
        finally:
            self._idle.put(process)
        if answer is None:
            raise SettingError(
                f"A process that cleans text ended (code {process.wait()}); free memory or take "
                "fewer --workers, and run again, with --resume where shards were finished."
            )
        if (problem := read_answer(answer)) is not None:
            raise ForetextError(problem)
        return shard.num_bytes


def _asked(process: Process, shard: Shard) -> bytes | None:
    """Have a process clean a shard; None where it has ended."""
    stdin = _pipe(process.stdin)
    try:
        stdin.write(shard_line(shard.number, shard.documents))
        stdin.flush()
    except BrokenPipeError:
        return None
    return _pipe(process.stdout).readline() or None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened as a pipe"
    return stream


def _end(process: Process) -> None:
    process.kill()  # a shard is there as a whole or not at all
    process.wait()
    for stream in (process.stdin, process.stdout):
        try:
            _pipe(stream).close()
        except BrokenPipeError:  # it had ended before it read all
            continue
