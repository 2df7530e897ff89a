"""Processes of this machine that learn together, each asked through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from foretext.base.errors import SettingError
from foretext.base.workers import WorkerProcess, read_answer, values_line
from foretext.vectors.replicas.group import ReplicaLostError

__all__ = ["LocalProcesses", "ProcessLostError"]


class ProcessLostError(ReplicaLostError):
    """A process of this machine has ended before it answered.

    Args:
        number: of the process.
        code: that it ended with.
    """

    def __init__(self, number: int, code: int) -> None:
        super().__init__(f"process {number} of the training ended (code {code})")


class LocalProcesses:
    """Several processes; a process that has ended is replaced by `restart`.

    Args:
        opener: ``"package.module:name"`` of what makes the part of each process, which answers
            ``do(name, arguments)``.
        arguments: for `opener`, from the number of a process; plain values.
        number: of processes.
        descriptors: of memory that all of them use.

    Raises:
        SettingError: this system cannot share memory, or starts no more processes.
    """

    def __init__(
        self,
        opener: str,
        arguments: Callable[[int], list[Any]],
        number: int,
        descriptors: Sequence[int] = (),
    ) -> None:
        if sys.platform == "win32":
            raise SettingError("processes > 1 needs Linux or macOS; take processes = 1.")
        self._opener, self._arguments = opener, arguments
        self._descriptors = tuple(descriptors)
        self._processes: list[WorkerProcess | None] = [None] * number

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self._processes:
            if process is not None:
                process.end()  # nothing is its own: what it learned is learned again

    def restart(self) -> None:
        """Start those that have ended, or were never started, and wait for all.

        Raises:
            ForetextError: one of them cannot begin.
            ProcessLostError: one has ended again.
        """
        ended = [
            number
            for number, process in enumerate(self._processes)
            if process is None or not process.is_alive
        ]
        for number in ended:
            old = self._processes[number]
            if old is not None:
                old.end()
            self._processes[number] = WorkerProcess(
                "foretext.vectors.replicas.worker",
                remedy="take fewer --processes",
                descriptors=self._descriptors,
            )
            self._tell(number, self._opener, self._arguments(number))
        self._drain(ended)

    def ask(self, name: str, *arguments: Any) -> list[Any]:
        """Have all processes do something at the same time; returns their results in order.

        Raises:
            ForetextError: one of them cannot.
            ProcessLostError: one has ended; all others have done it.
        """
        return self.ask_each(name, [list(arguments)] * len(self._processes))

    def ask_each(self, name: str, arguments: Sequence[list[Any]]) -> list[Any]:
        """Do what `ask` does, with other arguments for each process."""
        for number, given in enumerate(arguments):
            self._tell(number, name, given)
        return self._drain(range(len(arguments)))

    def _drain(self, numbers: Sequence[int]) -> list[Any]:
        """Read an answer of each; that one is lost is reported after all have answered."""
        answers = [self._process(number).answer() for number in numbers]
        for number, answer in zip(numbers, answers, strict=True):
            if answer is None:
                raise ProcessLostError(number, self._process(number).exit_code())
        return [read_answer(answer) for answer in answers if answer is not None]

    def _tell(self, number: int, name: str, arguments: list[Any]) -> None:
        self._process(number).tell(values_line(name, arguments))

    def _process(self, number: int) -> WorkerProcess:
        process = self._processes[number]
        assert process is not None, number
        return process
