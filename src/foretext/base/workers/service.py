"""A worker process from within: what it is asked, and the way back for its answers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Collection
from typing import Any, BinaryIO, TypeVar

from foretext.base.errors import ForetextError
from foretext.base.system import is_broken_pipe
from foretext.base.workers.worker_process import answer_line

__all__ = ["Service"]

Question = TypeVar("Question")


class Service:
    """What a process answers on its standard input.

    It ends with that input, so that the process does not outlive the one that asks it. What
    libraries print goes to standard error.

    Args:
        ignored: signals that are left to the process that asks; a terminal sends a Ctrl-C to all.
    """

    def __init__(self, ignored: Collection[signal.Signals] = (signal.SIGINT,)) -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        self.lines: BinaryIO = sys.stdin.buffer
        self._answers = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

    def run(
        self, read: Callable[[BinaryIO], Question | None], do: Callable[[Question], Any]
    ) -> None:
        """Answer until the input ends.

        Args:
            read: reads the next thing that is asked for; None: there is no more.
            do: does it, and returns plain values.
        """
        while (question := read(self.lines)) is not None:
            try:
                answer = answer_line(do(question))
            except ForetextError as problem:
                answer = answer_line(problem=problem)
            self._send(answer)

    def _send(self, answer: bytes) -> None:
        try:
            self._answers.write(answer)
            self._answers.flush()
        except OSError as error:
            if not is_broken_pipe(error):
                raise
            os._exit(0)  # nobody is there any more
