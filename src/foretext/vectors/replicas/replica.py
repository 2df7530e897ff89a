"""One process's part of a training: it learns in weights of its own, and merges some rows of all.

What it is asked is a name and numbers, so that it can be asked through a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from foretext.base.runtime import Threads
from foretext.kernels.merging import merge_rows
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.pieces import Pieces
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.shared_weights import SharedWeights
from foretext.vectors.replicas.shares import shares_of_changes
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.slice_learner import Learned

__all__ = ["Replica", "replica_of_process"]


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
