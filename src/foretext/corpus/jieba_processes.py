"""Chinese text cut by several processes: Python code such as jieba runs in one thread at a time."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock
from types import TracebackType
from typing import Self

from foretext.base.errors import CorpusError
from foretext.base.workers import WorkerLostError, WorkerPool, WorkerProcess, values_line
from foretext.corpus.chinese_words import is_jieba_unchanged
from foretext.corpus.jieba_worker import WORKS, Work

__all__ = ["JiebaHelpers", "JiebaProcesses"]

LITTLE = 1 << 19  # characters, cut in the time that it takes to start processes


class JiebaProcesses(WorkerPool):
    """Processes that cut text.

    Args:
        number: of processes.
        work: what they do, a row of `foretext.corpus.jieba_worker.WORKS`.
    """

    def __init__(self, number: int, work: Work = "separate") -> None:
        super().__init__(number, self._begun)
        self._work = work

    def cut(self, text: str) -> str:
        """Return what becomes of `text`.

        Raises:
            CorpusError: a process has ended, as the system ends some where memory is short.
        """
        try:
            found: str = self.ask(values_line(text))
        except WorkerLostError as lost:
            raise CorpusError(
                f"A process that cuts Chinese words ended (code {lost.code}); free memory and "
                "run again (word vectors: or set vectors.workers = 1)."
            ) from lost
        return found

    def _begun(self) -> WorkerProcess:
        return WorkerProcess(
            "foretext.corpus.jieba_worker",
            self._work,
            remedy="end other programs (word vectors: or set vectors.workers = 1)",
        )


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
