"""Shards are done on the nodes of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from foretext.base.errors import SettingError
from foretext.shards.on_ray.address import AUTO
from foretext.shards.on_ray.cluster import RayCluster
from foretext.shards.on_ray.connection import cluster_address
from foretext.shards.on_ray.flights import Flights
from foretext.shards.work import DoneShard, Shard, ShardWork

__all__ = ["RayEngine"]

AHEAD = 1.25  # shards on their way for each CPU, so that none waits for the next one
UNREAD = 4  # shards that wait for an earlier one, for each on its way; their results are on disk


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
            flights = Flights(cluster, work)
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


def _in_order(read: deque[DoneShard], flights: Flights) -> Iterator[DoneShard]:
    """Yield the shards that are done, up to the first one that is not."""
    while read and read[0].number not in flights:
        yield read.popleft()
