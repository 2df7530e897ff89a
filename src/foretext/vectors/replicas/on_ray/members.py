"""Actors of Ray that learn one model together, each with a part of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from foretext.base.errors import ClusterError, ForetextError
from foretext.shards.on_ray.cluster import RayCluster
from foretext.shards.on_ray.connection import cluster_address, first_line
from foretext.vectors.replicas.group import ReplicaLostError

__all__ = ["Actors", "RayMembers", "remote_call"]

PLACING = 600.0  # seconds in which nodes have to have CPUs for all members

Actors = dict[int, Any]  # by the number of the member


class RayMembers:
    """As many actors as processes were asked for, on as many nodes as there are.

    Args:
        address: of the cluster: ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``.
        number: of actors.
        threads: of each of them, for which it takes CPUs.

    Raises:
        SettingError: no cluster answers there.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, address: str, number: int, threads: int) -> None:
        self.number, self._threads = number, threads
        self._cluster = RayCluster(cluster_address(address), number * threads)
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

    def _opened(self, numbers: Sequence[int], target: str, *arguments: Any) -> Actors:
        """Make members on nodes that have CPUs for them.

        Args:
            numbers: of the members.
            target: ``"module:Class"``, which is called with `arguments` and the member's number.
            arguments: values, or references to some.
        """
        cluster = self._cluster
        actors = {number: cluster.part(self._threads) for number in numbers}
        opened = [
            actor.open.remote(cluster.here, target, *arguments, number)
            for number, actor in actors.items()
        ]
        self._wait(opened, PLACING)
        with self._losses():
            for each in opened:
                cluster.result(each)  # which refuses other versions
        return actors

    def _drop_lost(self, reached: dict[int, Any]) -> list[int]:
        """Forget the members whose results, by number, do not come; return the numbers missing."""
        self._actors = {
            number: self._actors[number]
            for number, reference in reached.items()
            if self._is_there(reference)
        }
        return [number for number in range(self.number) if number not in self._actors]

    def _add(self, made: Actors) -> None:
        """Have new members among the others, in the order of their numbers."""
        self._actors = dict(sorted({**self._actors, **made}.items()))

    def _refuse_few_cpus(self) -> None:
        found, needed = self._cluster.num_cpus(), self.number * self._threads
        if found < needed:
            each = "1 thread" if self._threads == 1 else f"{self._threads} threads"
            raise ClusterError(
                f"The Ray cluster has {found} CPUs, and --processes {self.number} with {each} "
                f"each need {needed}; add nodes, or take fewer processes or vectors.workers."
            )

    def _all(self, actors: Actors, name: str, *arguments: Any) -> list[Any]:
        """Have actors do something at the same time; returns their results in order."""
        return self._results([remote_call(actor, name, *arguments) for actor in actors.values()])

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


def remote_call(actor: Any, name: str, *arguments: Any) -> Any:
    """Ask an actor for something, and return a reference to the result."""
    return actor.do.remote(name, *arguments)


def _lost(error: BaseException) -> ReplicaLostError:
    return ReplicaLostError(f"a process of the training was lost: {first_line(error)}")
