"""Replicas in processes of this machine, whose weights stand in memory that all of them see."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.processes import LocalProcesses, ProcessLostError
from foretext.vectors.replicas.shared_arrays import Arrays
from foretext.vectors.replicas.shared_weights import SharedWeights
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.slice_learner import Learned

__all__ = ["LocalReplicaGroup"]


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
            "foretext.vectors.replicas.replica:replica_of_process",
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
