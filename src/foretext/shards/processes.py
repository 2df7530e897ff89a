"""Processes of this machine that do shards."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self

from foretext.errors import SettingError
from foretext.shards.messages import read_answer, task_line, work_line
from foretext.shards.work import Shard, ShardWork

__all__ = ["Processes"]

TRIES = 2  # of a shard: the system ends processes where memory is short, and it may be back

Process = subprocess.Popen[bytes]


class Processes:
    """Processes that do shards; as many threads may ask them.

    One is started when it is needed, and once more where it has ended.

    Args:
        number: of processes.
        work: what they do.
    """

    def __init__(self, number: int, work: ShardWork) -> None:
        self._work = work
        self._exits = ExitStack()
        self._idle: SimpleQueue[Process | None] = SimpleQueue()
        for _ in range(number):
            self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def do(self, shard: Shard) -> None:
        """Have a process do a shard.

        Raises:
            ForetextError: it cannot be done, or processes end while they do it.
        """
        process = self._idle.get()
        data = shard.data()
        try:
            for _ in range(TRIES):
                process = process or self._started()
                if (answer := self._asked(process, shard.number, data)) is not None:
                    break
                code, process = process.wait(), None
        finally:
            self._idle.put(process)
        if answer is None:
            raise SettingError(
                f"A process that works on the text ended (code {code}); free memory or take fewer "
                "--workers, and run again, with --resume where a part was finished."
            )
        if (problem := read_answer(answer)) is not None:
            raise problem

    def _started(self) -> Process:
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "foretext.shards.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            raise SettingError(
                f"The system starts no more processes ({error.strerror}); take fewer --workers."
            ) from error
        self._exits.callback(_end, process)
        _pipe(process.stdin).write(work_line(self._work))  # into its buffer; sent with a shard
        return process

    def _asked(self, process: Process, number: int, data: bytes) -> bytes | None:
        """Have a process do a shard; None where it has ended."""
        stdin = _pipe(process.stdin)
        try:
            stdin.write(task_line(self._work.result(number), len(data)))
            stdin.write(data)
            stdin.flush()
        except BrokenPipeError:
            return None
        return _pipe(process.stdout).readline() or None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened as a pipe"
    return stream


def _end(process: Process) -> None:
    process.kill()  # a result is there as a whole or not at all
    process.wait()
    for stream in (process.stdin, process.stdout):
        try:
            _pipe(stream).close()
        except BrokenPipeError:  # it had ended before it read all
            continue
