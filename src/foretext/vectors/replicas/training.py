"""Training by several processes: the one loop of `Hogwild`, with a cycle of all in each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from foretext.base.errors import OutputError
from foretext.progress.run_context import RunContext
from foretext.shards import ShardEngine
from foretext.vectors.hogwild import Hogwild, train_hogwild
from foretext.vectors.replicas.averaging import Pieces
from foretext.vectors.replicas.group import ReplicaGroup, ReplicaLostError
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.local_group import LocalReplicaGroup
from foretext.vectors.replicas.on_ray import RayReplicaGroup
from foretext.vectors.schedule import Learned

__all__ = ["TRIES", "Attempts", "Replicas", "too_many_lost", "train_replicas"]

Result = TypeVar("Result")

TRIES = 3  # of one work: the system ends processes where memory is short, and it may be back


def train_replicas(learner: ReplicaLearner, context: RunContext) -> list[dict[str, Any]]:
    """Train a model by as many processes as its settings say, to its end; returns the records.

    One process is this one. See `Hogwild.run` for what is raised.
    """
    config = learner.config
    if config.processes == 1:
        return train_hogwild(learner, config, context)
    alone = config.model_copy(update={"workers": 1})  # this process only waits for the others
    with _group(learner, context.engine) as group:
        replicas = Replicas(learner, group, context)
        training = Hogwild(replicas, alone, context, replicas.begin_again)
        training.round_slices = 1  # a cycle is long enough
        if context.resume:
            training.resume()
        return training.run().history


class Replicas:
    """A model and its copies in other processes, as one `SliceLearner` whose slice is a cycle.

    The weights of the model itself are those that all processes had at the end of a cycle.

    Args:
        learner: the model.
        group: its copies.
        context: gets a note where one of them is lost.
    """

    def __init__(self, learner: ReplicaLearner, group: ReplicaGroup, context: RunContext) -> None:
        config = learner.config
        self.learner = learner
        self.alpha = learner.alpha
        self.slices = Pieces.of(
            learner.slices, config.processes, config.threads, config.sync_words
        ).cycles
        self._group = group
        self._by_all = Attempts(group.start, context)

    def compile(self) -> None:
        """Start the processes, each with the weights of the model."""
        self.learner.compile()  # for all of them: machine code is kept
        self._by_all(lambda: None)

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Have all processes learn a cycle, and once more from its beginning where one ended.

        Raises:
            OutputError: processes end again and again; the weights are those before the cycle.
        """
        return self._by_all(lambda: self._group.learn(slice_index, rates, seed))

    def begin_again(self) -> None:
        """Have all processes go on from the weights of the model, which have been replaced."""
        self._by_all.begin_again()

    def held_out_loss(self) -> float | None:
        """The model's own."""
        return self.learner.held_out_loss()

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of the model."""
        return self.learner.arrays()


def _group(learner: ReplicaLearner, engine: ShardEngine | None) -> ReplicaGroup:
    """Return who learns: the cluster of an engine, or this machine."""
    cluster = None if engine is None else engine.cluster
    return LocalReplicaGroup(learner) if cluster is None else RayReplicaGroup(learner, cluster)


def too_many_lost() -> OutputError:
    """Return the error of a training whose processes ended `TRIES` times."""
    return OutputError(
        f"A process of the training has ended {TRIES} times; free memory or take fewer "
        "--processes in a new run."
    )


class Attempts:
    """Does work once all processes are there.

    Args:
        start: has all of them there, each with the weights of the model.
        context: gets a note where one is lost.
    """

    def __init__(self, start: Callable[[], None], context: RunContext) -> None:
        self._start, self._context = start, context
        self._is_whole = False  # whether all are there

    def begin_again(self) -> None:
        """Give the weights of the model to all before the next work."""
        self._is_whole = False

    def __call__(self, work: Callable[[], Result]) -> Result:
        """Do what a process that ends can spoil, until it is done by all.

        Raises:
            OutputError: processes end again and again; the weights are those before the work.
        """
        for _ in range(TRIES):
            try:
                if not self._is_whole:
                    self._start()
                    self._is_whole = True
                return work()
            except ReplicaLostError as lost:
                self._is_whole = False
                self._context.note(
                    f"{lost}; another one takes its place, and what was learned since all had the "
                    "same weights is learned again"
                )
        raise too_many_lost()
