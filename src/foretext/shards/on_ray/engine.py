"""Shards are done on the nodes of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from foretext.base.errors import ForetextError, OutputError, SettingError
from foretext.base.files import temporary_folder
from foretext.base.workers import answer_line, read_answer
from foretext.shards.on_ray.address import AUTO
from foretext.shards.on_ray.cluster import RayCluster
from foretext.shards.on_ray.connection import cluster_address, first_line
from foretext.shards.work import DoneShard, Fill, Shard, ShardWork, fill_shard

__all__ = ["RayEngine", "do_shard"]

AHEAD = 1.25  # shards on their way for each CPU, so that none waits for the next one
UNREAD = 4  # shards that wait for an earlier one, for each on its way; their results are on disk

TARGET = "foretext.shards.on_ray.engine:do_shard"

ShardResult = tuple[bytes, dict[str, bytes]]  # an answer as of a worker process, and files by name


class RayEngine:
    """Processes of a Ray cluster; this process reads the text and writes the results.

    It is connected only while shards are done.

    Args:
        address: ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``.
        workers: shards that are done at once; None: as many as the cluster has CPUs.

    Raises:
        SettingError: no cluster answers there.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, address: str = AUTO, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise SettingError(f"workers = {workers}: take one or more.")
        self.cluster: str | None = address
        self._address = cluster_address(address)
        self._given = workers
        self.workers = workers or 1  # until the cluster says how many it has

    def run(self, work: ShardWork, shards: Iterable[Shard]) -> Iterator[DoneShard]:
        """Yield each shard in order, once its result is in the folder of `work`.

        Raises:
            ForetextError: a shard cannot be done, or its result not be written; others stay.
        """
        with RayCluster(self._address, self._given) as cluster:
            flights = _Flights(cluster, work)
            read: deque[DoneShard] = deque()  # done or on their way, without their texts
            for shard in shards:
                read.append(DoneShard(shard.number, work.result(shard.number), shard.num_bytes))
                if not work.is_done(shard.number):
                    flights.start(shard)
                limit = self._limit(cluster)
                while flights and (len(flights) >= limit or len(read) >= UNREAD * limit):
                    flights.land()
                    yield from _in_order(read, flights)
                yield from _in_order(read, flights)
            while flights:
                flights.land()
                yield from _in_order(read, flights)

    def _limit(self, cluster: RayCluster) -> int:
        """Return how many shards may be on their way, by the size that the cluster has now."""
        self.workers = self._given or max(cluster.num_cpus(), 1)
        return self._given or int(AHEAD * self.workers) + 1


def _in_order(read: deque[DoneShard], flights: _Flights) -> Iterator[DoneShard]:
    """Yield the shards that are done, up to the first one that is not."""
    while read and read[0].number not in flights:
        yield read.popleft()


class _Flights:
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


def do_shard(opener: str, settings: str, data: bytes) -> ShardResult:
    """Do one shard, and return its files."""
    try:
        fill = _opened(opener, settings)
        with temporary_folder() as folder:
            fill(data, folder)
            return answer_line(), {file.name: file.read_bytes() for file in folder.iterdir()}
    except ForetextError as error:
        return answer_line(problem=error), {}


@lru_cache(maxsize=1)
def _opened(opener: str, settings: str) -> Fill:
    return ShardWork(opener, settings, Path()).opened()
