"""Several worker processes, asked by several threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from foretext.base.workers.worker_process import WorkerLostError, WorkerProcess, read_answer

__all__ = ["WorkerPool"]


class WorkerPool:
    """Worker processes that do the same; as many threads may ask them.

    One is started when it is needed, and another one where it has ended.

    Args:
        number: of processes.
        start: starts one.
        tries: processes that are asked the same thing, each where the one before it ended.
    """

    def __init__(self, number: int, start: Callable[[], WorkerProcess], *, tries: int = 1) -> None:
        self._start, self._tries = start, tries
        self._exits = ExitStack()
        self._idle: SimpleQueue[WorkerProcess | None] = SimpleQueue()
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

    def ask(self, *message: bytes) -> Any:
        """Have one of them do something, and return its result.

        Raises:
            ForetextError: it cannot be done.
            WorkerLostError: processes end while they do it.
        """
        worker = self._idle.get()
        try:
            for _ in range(self._tries):
                worker = worker or self._started()
                worker.tell(*message)
                if (answer := worker.answer()) is not None:
                    return read_answer(answer)
                code, worker = worker.exit_code(), None
        finally:
            self._idle.put(worker)
        raise WorkerLostError(code)

    def _started(self) -> WorkerProcess:
        worker = self._start()
        self._exits.callback(worker.end)
        return worker
