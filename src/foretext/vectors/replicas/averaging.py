"""One process's part of a training: it learns in weights of its own, and merges some rows of all.

What it is asked is a name and numbers, so that it can be asked through a pipe.

How much of the copies' changes a row takes when it is merged. A row that is met u times moves
towards a point that its neighbours set, each time by a small part e of the way: what is left of
the way is q = exp(-e u). If P copies each go 1 - q of it, then one that had met all of their
words would have gone 1 - q**P. So the row takes (1 - q**P) / (1 - q) times the mean of the
changes: their sum where u is small, as of a rare word, of which each copy has seen something
else; their mean where u is large, as of a frequent word, which every copy has brought to its
point by itself. The sum of all rows would diverge, the mean of all learns rare words P times too
slowly (Ji et al. 2016 raise the learning rate for that reason).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from foretext.base.runtime import Threads
from foretext.kernels.averaging import merge_rows
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.local_group import SharedWeights
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.schedule import SMALLEST_SLICE, Learned, Slices

__all__ = ["Pieces", "Replica", "replica_of_process", "shares_of_changes"]

FEWEST_CYCLES = 6  # in a small text, so that rare words are merged now and then
SEED_STEP = 0x85EBCA6B  # odd and large: no piece has the seed of another one

CURVATURE = 0.4  # share of its way that a row goes in one meeting, for a learning rate of 1
SMALLEST = 1e-6  # such share of a meeting that is computed; below it 1 - q has too few digits


class Replica:
    """The weights that process `number` learns in, and what it shows to all others.

    It learns in memory of its own, which the system lays out in large pages; shared memory seldom
    has them. What the others need is copied: rows that they merge, when they are due.

    Args:
        learner: a model of its own.
        weights: of all processes.
        number: of this process, from 0.
    """

    def __init__(self, learner: ReplicaLearner, weights: SharedWeights, number: int) -> None:
        config = learner.config
        self.learner, self.weights, self.number = learner, weights, number
        self.rows = learner.rows()
        self.own = learner.arrays()
        self.pieces = Pieces.of(learner.slices, config.processes, config.threads, config.sync_words)
        learner.slices = self.pieces.slices
        tokens = self.pieces.slices.num_tokens / self.pieces.num_rounds  # of this process in each
        self.meetings = {
            name: tokens * rows.rounds() * rows.meetings for name, rows in self.rows.items()
        }

    def do(self, name: str, arguments: list[Any]) -> Any:
        """Do what another process asks for: begin, learn, merge or keep."""
        verbs: dict[str, Callable[..., Any]] = {
            "begin": self.begin,
            "learn": self.learn,
            "merge": self.merge,
            "keep": self.keep,
        }
        return verbs[name](*arguments)

    def begin(self) -> None:
        """Take the averaged weights, whatever was learned since; have the machine code ready."""
        for name, own in self.own.items():
            own[...] = self.weights.averaged[name]
        self.learner.compile()
        for name in self.rows:
            self._merge_rows(name, 0, 0, 1.0)

    def learn(self, cycle: int, number: int, rates: list[float], seed: int) -> Learned:
        """Learn this process's pieces of a round, from what was merged after the last one."""
        if number > 0:
            self._take(number - 1)
        learned = self._learn_round(cycle, number, (rates[0], rates[1]), seed)
        self._publish(number)
        return learned

    def merge(self, number: int, rate: float) -> None:
        """Merge this process's part of the rows that are due after a round."""
        for name, rows in self.rows.items():
            self._merge_rows(name, *rows.due(number, self.number, self.weights.num_copies), rate)

    def keep(self) -> None:
        """At the end of a cycle: what was merged is what the next one begins with."""
        last = ROUNDS - 1
        for name, rows in self.rows.items():
            first, stop = rows.due(last, self.number, self.weights.num_copies)
            part = slice(first * rows.stride, stop * rows.stride)
            self.weights.averaged[name][part] = self.own[name][part]
        self._take(last)

    def _learn_round(
        self, cycle: int, number: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        threads = range(self.pieces.threads)
        given = (cycle, number, rates, seed)
        if len(threads) == 1:
            return self._learn_piece(0, *given)
        with Threads(len(threads)) as pool:
            results = list(pool.map(lambda thread: self._learn_piece(thread, *given), threads))
        return Learned.summed(results)

    def _learn_piece(
        self, thread: int, cycle: int, number: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        pieces = self.pieces
        place = pieces.place(number, self.number, thread)
        return self.learner.learn(
            pieces.number(cycle, place),
            thread,
            pieces.rates(place, rates),
            pieces.seed(place, seed),
        )

    def _merge_rows(self, name: str, first: int, last: int, rate: float) -> None:
        weights = self.weights
        meetings = self.meetings[name][first:last]
        merge_rows(
            weights.copies[name],
            weights.num_copies,
            weights.sizes[name],
            self.own[name],
            self.number,
            weights.merged[name],
            first,
            last,
            self.rows[name].stride,
            shares_of_changes(meetings, rate, weights.num_copies),
        )

    def _publish(self, number: int) -> None:
        """Show the others the rows that they are going to merge."""
        copy = self.weights.copy(self.number)
        for name, part in self._parts_of_others(number):
            copy[name][part] = self.own[name][part]

    def _take(self, number: int) -> None:
        """Go on from the rows that the others have merged after a round."""
        for name, part in self._parts_of_others(number):
            self.own[name][part] = self.weights.merged[name][part]

    def _parts_of_others(self, number: int) -> Iterator[tuple[str, slice]]:
        """The numbers of rows that are due after a round and merged by others, by name."""
        for name, rows in self.rows.items():
            first, last = rows.due(number, 0, 1)
            start, stop = rows.due(number, self.number, self.weights.num_copies)
            for begin, end in ((first, start), (stop, last)):
                yield name, slice(begin * rows.stride, end * rows.stride)


def replica_of_process(plan: str, number: int, descriptor: int) -> Replica:
    """Return the replica of a process that another one has started.

    Args:
        plan: a `ReplicaPlan` as it is written.
        number: of the process.
        descriptor: of the memory with the weights of all.

    Raises:
        CorpusError: the text cannot be read.
    """
    learner = ReplicaPlan.read(plan).built()
    weights = SharedWeights(learner.arrays(), learner.config.processes, descriptor)
    return Replica(learner, weights, number)


class Pieces(NamedTuple):
    """The pieces of a text, in its order: of cycle, round, process and thread."""

    slices: Slices  # a piece each
    cycles: Slices  # a cycle each
    processes: int
    threads: int  # of a process

    @classmethod
    def of(cls, slices: Slices, processes: int, threads: int, sync_words: int) -> Self:
        """Cut the sentences of `slices` into cycles of as many pieces of about the same length.

        Cycles do not depend on threads, so that a run can be resumed with more or less of them.
        """
        parts = ROUNDS * processes  # of a cycle, for a process and a round each
        fewest = min(FEWEST_CYCLES, slices.num_tokens // (parts * SMALLEST_SLICE))
        num_cycles = max(-(-slices.num_tokens // (parts * sync_words)), fewest, 1)
        number = num_cycles * parts * threads
        wanted = slices.num_tokens * np.arange(number + 1) // number
        firsts = np.searchsorted(slices.sentence_starts, wanted)
        return cls(
            replace(slices, firsts=firsts),
            replace(slices, firsts=firsts[:: parts * threads]),
            processes,
            threads,
        )

    @property
    def num_rounds(self) -> int:
        """Rounds of the text, with the parts of each process counted one by one."""
        return len(self.cycles) * ROUNDS * self.processes

    def place(self, round_number: int, process: int, thread: int) -> int:
        """Return the number of a piece within its cycle."""
        return (round_number * self.processes + process) * self.threads + thread

    def number(self, cycle: int, place: int) -> int:
        """Return the number of a piece within the text."""
        return cycle * ROUNDS * self.processes * self.threads + place

    def rates(self, place: int, rates: tuple[float, float]) -> tuple[float, float]:
        """Return the learning rates at both ends of a piece, from those of its cycle."""
        together = ROUNDS * self.processes * self.threads
        start, stop = rates
        before, after = ((place + step) / together for step in (0, 1))
        return start + (stop - start) * before, start + (stop - start) * after

    def seed(self, place: int, seed: int) -> int:
        """Return the seed of a piece, from that of its cycle."""
        return (seed + SEED_STEP * (place + 1)) % 2**32


def shares_of_changes(meetings: np.ndarray, rate: float, num_copies: int) -> np.ndarray:
    """Return by what the sum of the changes is multiplied, from 1 / P to 1, (R,) float32.

    Args:
        meetings: (R,) how often each copy has met each row since it was merged, about.
        rate: of learning.
        num_copies: P.
    """
    left = np.exp(-np.maximum(CURVATURE * rate * meetings, SMALLEST))
    shares: np.ndarray = (1 - left**num_copies) / (num_copies * (1 - left))
    return shares.astype(np.float32)
