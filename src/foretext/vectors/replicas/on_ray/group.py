"""Replicas on the nodes of a Ray cluster, which send each other the rows that they have changed.

A cycle is a graph of calls that is given to Ray at once: each replica learns, sends each other one
the rows that that one merges, and gets what the others have merged. So rows go from node to node,
and this process gets only what all have at the end of a cycle. Sums are made in the order of the
replicas, as on one machine, and end in the same bits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from foretext.errors import ClusterError, ForetextError
from foretext.shards.on_ray.cluster import RayCluster
from foretext.shards.on_ray.connection import cluster_address, first_line
from foretext.vectors.hogwild import Learned
from foretext.vectors.replicas.group import ReplicaLostError
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.on_ray.exchange import Exchange
from foretext.vectors.replicas.on_ray.member import TARGET
from foretext.vectors.replicas.on_ray.sent_text import META, pieces_of
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS

__all__ = ["RayReplicaGroup"]

PLACING = 600.0  # seconds in which nodes have to have CPUs for all replicas

Actors = dict[int, Any]  # by the number of the replica


class RayReplicaGroup:
    """As many actors of Ray as the settings of a model say, on as many nodes as there are.

    Args:
        learner: the model.
        address: of the cluster: ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``.

    Raises:
        SettingError: no cluster answers there.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, learner: ReplicaLearner, address: str) -> None:
        config = learner.config
        self._learner, self._number, self._threads = learner, config.processes, config.threads
        self._exchange = Exchange(learner.rows(), config.processes)
        self._cluster = RayCluster(cluster_address(address), self._number * self._threads)
        self._actors: Actors = {}

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        try:
            self._refuse_few_cpus()
        except BaseException:
            self._cluster.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        ray = self._cluster.ray
        try:
            for actor in self._actors.values():
                with suppress(ray.exceptions.RayError, ConnectionError):  # the cluster is gone
                    ray.kill(actor)
        finally:
            self._cluster.__exit__(kind, error, traceback)

    def start(self) -> None:
        """Make replicas that are not there, and give the weights of the model to all.

        Raises:
            ForetextError: they cannot be there.
            ReplicaLostError: one was lost.
        """
        put = self._cluster.ray.put
        parts = [put(part) for part in self._exchange.parts(self._learner.arrays())]
        self._actors = {
            number: actor
            for number, actor in self._actors.items()
            if self._is_there(_asked(actor, "begin", *parts))
        }
        missing = [number for number in range(self._number) if number not in self._actors]
        made = self._made(missing)
        self._all(made, "begin", *parts)
        self._actors = dict(sorted({**self._actors, **made}.items()))

    def learn(self, cycle: int, rates: tuple[float, float], seed: int) -> Learned:
        """Learn a cycle.

        Raises:
            ReplicaLostError: a node was lost.
        """
        learned: list[Any] = []
        merged: list[Any] = []
        for number in range(ROUNDS):
            rows = []
            for actor in self._actors.values():
                several = actor.do.options(num_returns=1 + self._number)
                result, *parts = several.remote("learn", cycle, number, rates, seed, *merged)
                learned.append(result)
                rows.append(parts)
            merged = [
                _asked(actor, "merge", number, rates[0], *(parts[place] for parts in rows))
                for place, actor in self._actors.items()
            ]
        kept = [_asked(actor, "keep", *merged) for actor in self._actors.values()]
        self._results(kept)  # nothing is taken before all have all
        for number, part in enumerate(self._results(merged)):
            self._exchange.put(self._learner.arrays(), number, part)
        return Learned.summed(self._results(learned))

    def _refuse_few_cpus(self) -> None:
        found, needed = self._cluster.num_cpus(), self._number * self._threads
        if found < needed:
            each = "1 thread" if self._threads == 1 else f"{self._threads} threads"
            raise ClusterError(
                f"The Ray cluster has {found} CPUs, and --processes {self._number} with {each} "
                f"each need {needed}; add nodes, or take fewer processes or vectors.workers."
            )

    def _made(self, numbers: Sequence[int]) -> Actors:
        """Make replicas on nodes that have CPUs for them."""
        cluster, plan = self._cluster, ReplicaPlan.of(self._learner)
        actors = {number: cluster.part(self._threads) for number in numbers}
        written = cluster.ray.put(plan.written())
        opened = [
            actor.open.remote(cluster.here, TARGET, written, number)
            for number, actor in actors.items()
        ]
        self._wait(opened, PLACING)
        with self._losses():
            for each in opened:
                cluster.result(each)  # which refuses other versions
        self._send_text(actors)
        self._all(actors, "build")
        return actors

    def _send_text(self, actors: Actors) -> None:
        """Send the text to those who do not find it on their node."""
        folder = self._learner.text_folder
        meta = (folder / META).read_bytes()
        has_text = zip(actors.items(), self._all(actors, "has_text", meta), strict=True)
        lacking = dict(each for each, has in has_text if not has)
        for name, piece in pieces_of(folder) if lacking else ():
            self._all(lacking, "receive", name, self._cluster.ray.put(piece))

    def _all(self, actors: Actors, name: str, *arguments: Any) -> list[Any]:
        """Have actors do something at the same time; returns their results in order."""
        return self._results([_asked(actor, name, *arguments) for actor in actors.values()])

    def _results(self, references: Sequence[Any]) -> list[Any]:
        self._wait(references)
        with self._losses():
            return list(self._cluster.ray.get([*references]))

    def _wait(self, references: Sequence[Any], seconds: float = float("inf")) -> None:
        """Wait until all are done, or one has failed.

        Raises:
            ClusterError: they are not done in time, or the head of the cluster is silent.
            ReplicaLostError: one has failed.
        """
        waiting, end = [*references], time.monotonic() + seconds
        while waiting:
            done = self._cluster.wait(waiting, end - time.monotonic())
            if not done:
                raise ClusterError(
                    f"The Ray cluster has had no free CPU for one of the processes for "
                    f"{seconds:.0f} seconds; add nodes, and go on with --resume."
                )
            with self._losses():
                self._cluster.ray.get(done)
            waiting = [each for each in waiting if each not in done]

    def _is_there(self, reference: Any) -> bool:
        """Whether an actor has done something; one that was lost has not."""
        try:
            self._results([reference])
        except ReplicaLostError:
            return False
        return True

    @contextmanager
    def _losses(self) -> Iterator[None]:
        """Turn what Ray raises into what is known here: a refusal of a node, or a loss."""
        errors = self._cluster.ray.exceptions
        try:
            yield
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, ForetextError):
                raise cause from error
            if not isinstance(cause, errors.RayError):  # a defect of ours, with its traceback
                raise
            raise _lost(cause) from error
        except (errors.RayError, ConnectionError) as error:
            raise _lost(error) from error


def _asked(actor: Any, name: str, *arguments: Any) -> Any:
    """Ask an actor for something, and return a reference to the result."""
    return actor.do.remote(name, *arguments)


def _lost(error: BaseException) -> ReplicaLostError:
    return ReplicaLostError(f"a process of the training was lost: {first_line(error)}")
