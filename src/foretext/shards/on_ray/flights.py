"""Shards on their way: sent to a cluster, with a result that is not yet on this disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from foretext.base.errors import ForetextError, OutputError, SettingError
from foretext.base.workers import read_answer
from foretext.shards.on_ray.cluster import RayCluster
from foretext.shards.on_ray.connection import first_line
from foretext.shards.on_ray.task import TARGET, ShardResult
from foretext.shards.work import Shard, ShardWork, fill_shard

__all__ = ["Flights"]


class Flights:
    """Shards that a cluster is doing.

    None is ever cancelled: Ray 2.60 ends this process where a cancellation meets the reply of its
    task ("Tried to complete task that was not pending"). Tasks end when this process leaves the
    cluster. Where it stays, as an application does, the few on their way are done for nothing.

    Args:
        cluster: does them.
        work: what is done.
    """

    def __init__(self, cluster: RayCluster, work: ShardWork) -> None:
        self._cluster, self._ray, self._work = cluster, cluster.ray, work
        self._shards: dict[Any, int] = {}  # reference -> number
        self._settings = self._ray.put(work.settings)  # sent once to each node

    def __len__(self) -> int:
        return len(self._shards)

    def __contains__(self, number: int) -> bool:
        return number in self._shards.values()

    def start(self, shard: Shard) -> None:
        """Send a shard.

        Raises:
            ForetextError: it cannot be sent.
        """
        try:
            reference = self._cluster.start(TARGET, self._work.opener, self._settings, shard.data())
        except (self._ray.exceptions.RayError, ConnectionError) as error:
            raise _lost(shard.number, error) from error
        self._shards[reference] = shard.number

    def land(self) -> None:
        """Wait for a shard, and write its result.

        Raises:
            ForetextError: it cannot be done, or not be written; or the cluster is gone.
        """
        reference = self._cluster.wait([*self._shards])[0]
        number = self._shards[reference]
        files = self._result(reference, number)
        fill_shard(lambda _, folder: _write(files, folder), b"", self._work.result(number))
        del self._shards[reference]

    def _result(self, reference: Any, number: int) -> dict[str, bytes]:
        errors = self._ray.exceptions
        try:
            node, returned = self._cluster.result(reference)
            answer, files = cast("ShardResult", returned)
        except errors.RayTaskError:  # a defect of ours, with its traceback
            raise
        except (errors.RayError, ConnectionError) as error:
            raise _lost(number, error) from error
        try:
            read_answer(answer)
        except ForetextError as problem:
            raise type(problem)(f"Node {node}: {problem}") from problem
        return files


def _write(files: dict[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / Path(name).name).write_bytes(content)


def _lost(number: int, error: Exception) -> ForetextError:
    """Return what to say where the cluster could not do a shard."""
    if type(error).__name__ in ("OutOfDiskError", "ObjectStoreFullError"):
        return OutputError(
            f"The Ray cluster has no room for shard {number}: memory and disk of a node are full; "
            "free some, and go on with --resume."
        )
    return SettingError(
        f"The Ray cluster gave up shard {number}: {first_line(error)}; look at its nodes and their "
        "memory, and go on with --resume."
    )
