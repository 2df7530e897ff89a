"""Replicas in processes of this machine, whose weights stand in memory that all of them see.

Arrays in memory that several processes of a machine see. The memory has no name, so that it is
gone with the last process, however that one ends.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.workers import WorkerProcess, read_answer, values_line
from foretext.vectors.replicas.group import ReplicaLostError
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.schedule import Learned

__all__ = [
    "Arrays",
    "LocalProcesses",
    "LocalReplicaGroup",
    "ProcessLostError",
    "SharedArrays",
    "SharedWeights",
]

LINE = 64  # bytes; each array starts on a line of the cache

Arrays = dict[str, np.ndarray]


class LocalReplicaGroup:
    """As many processes of this machine as the settings of a model say.

    Args:
        learner: the model; its arrays move to shared memory.

    Raises:
        SettingError: this system cannot share memory.
    """

    def __init__(self, learner: ReplicaLearner) -> None:
        config, weights = learner.config, learner.arrays()
        self._shared = SharedWeights(weights, config.processes)
        _assign(self._shared.averaged, weights)
        learner.learn_in(self._shared.averaged)
        plan = ReplicaPlan.of(learner).written()
        self._processes = LocalProcesses(
            "foretext.vectors.replicas.averaging:replica_of_process",
            lambda number: [plan, number, self._shared.descriptor],
            config.processes,
            [self._shared.descriptor],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._processes.__exit__(kind, error, traceback)
        self._shared.close()

    def start(self) -> None:
        """Start processes that are not there, and give the weights of the model to all.

        Raises:
            ForetextError: they cannot be there.
            ReplicaLostError: one has ended again.
        """
        self._processes.restart()
        _assign(self._shared.merged, self._shared.averaged)
        self._processes.ask("begin")

    def learn(self, cycle: int, rates: tuple[float, float], seed: int) -> Learned:
        """Learn a cycle.

        Raises:
            ReplicaLostError: a process has ended.
        """
        results: list[list[float]] = []
        for number in range(ROUNDS):
            results += self._processes.ask("learn", cycle, number, rates, seed)
            self._processes.ask("merge", number, rates[0])
        try:
            self._processes.ask("keep")
        except ProcessLostError:  # but all was merged; that it has ended is seen in the next cycle
            _assign(self._shared.averaged, self._shared.merged)
        return Learned.summed(results)


def _assign(target: Arrays, source: Arrays) -> None:
    for name, array in target.items():
        array[...] = source[name]


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


class SharedArrays:
    """Flat arrays of zeros, until somebody writes to them.

    Args:
        sizes: type and length of each array, by name.
        descriptor: of memory that another process has made for the same sizes; None: it is made.
    """

    def __init__(self, sizes: Mapping[str, tuple[str, int]], descriptor: int | None = None) -> None:
        starts, end = {}, 0
        for name, (dtype, length) in sizes.items():
            starts[name] = end
            end += -(-np.dtype(dtype).itemsize * length // LINE) * LINE
        self.descriptor = _made(max(end, LINE)) if descriptor is None else descriptor
        memory = mmap.mmap(self.descriptor, max(end, LINE))
        self.arrays: Arrays = {
            name: np.frombuffer(memory, dtype, length, starts[name])
            for name, (dtype, length) in sizes.items()
        }

    def close(self) -> None:
        """Let go of the descriptor; the memory stays as long as an array of it is used."""
        os.close(self.descriptor)


def _made(num_bytes: int) -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("foretext")
    else:  # a file without a name
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, num_bytes)
    return descriptor


class SharedWeights:
    """A copy of all weights for each process, and two more.

    Args:
        weights: arrays of float32 with the sizes of a copy, by name.
        num_copies: one for each process.
        descriptor: of memory that another process has made; None: it is made here.

    Attributes:
        copies: (num_copies * size,) by name, rows that each process has learned and others merge.
        averaged: (size,) by name, what all copies began the cycle with.
        merged: (size,) by name, what they are now, as far as they were merged.
    """

    def __init__(
        self, weights: Mapping[str, np.ndarray], num_copies: int, descriptor: int | None = None
    ) -> None:
        self.sizes = {name: int(array.size) for name, array in weights.items()}
        self.num_copies = num_copies
        lengths = {"copies": num_copies, "averaged": 1, "merged": 1}
        self._shared = SharedArrays(
            {
                f"{kind} {name}": ("f4", number * size)
                for kind, number in lengths.items()
                for name, size in self.sizes.items()
            },
            descriptor,
        )
        self.copies, self.averaged, self.merged = (self._of(kind) for kind in lengths)

    @property
    def descriptor(self) -> int:
        """Of the memory."""
        return self._shared.descriptor

    def copy(self, number: int) -> Arrays:
        """Return the arrays (size,) that one process learns in."""
        return {
            name: self.copies[name][number * size : (number + 1) * size]
            for name, size in self.sizes.items()
        }

    def close(self) -> None:
        """Let go of the descriptor; the memory stays as long as an array of it is used."""
        self._shared.close()

    def _of(self, kind: str) -> Arrays:
        return {name: self._shared.arrays[f"{kind} {name}"] for name in self.sizes}
