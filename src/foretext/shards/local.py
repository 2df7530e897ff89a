"""Shards are done on this machine: by several processes, or by this one where one is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from foretext.base.errors import SettingError
from foretext.shards.in_order import map_in_order
from foretext.shards.processes import Processes
from foretext.shards.work import DoneShard, Fill, Shard, ShardWork, fill_shard

__all__ = ["LocalEngine"]


class LocalEngine:
    """Processes of this machine; with one worker, this process does all.

    Args:
        workers: number of processes.

    Raises:
        SettingError: it is none.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise SettingError(f"workers = {workers}: take one or more.")
        self.workers = workers
        self.cluster: str | None = None

    def run(self, work: ShardWork, shards: Iterable[Shard]) -> Iterator[DoneShard]:
        """Yield each shard in order, once its result is in the folder of `work`.

        Raises:
            ForetextError: a shard cannot be done, or its result not be written; others stay.
        """
        if self.workers == 1:
            do = _alone(work)
            for shard in shards:
                yield _done(shard, work, do)
            return
        with Processes(self.workers, work) as processes:
            yield from map_in_order(
                lambda shard: _done(shard, work, processes.do), shards, self.workers
            )


def _done(shard: Shard, work: ShardWork, do: Callable[[Shard], None]) -> DoneShard:
    """Do a shard that no earlier process has done."""
    if not work.is_done(shard.number):
        do(shard)
    return DoneShard(shard.number, work.result(shard.number), shard.num_bytes)


def _alone(work: ShardWork) -> Callable[[Shard], None]:
    fill: Fill | None = None  # opened with the first shard, for what it may refuse

    def do(shard: Shard) -> None:
        nonlocal fill
        fill = fill or work.opened()
        fill_shard(fill, shard.data(), work.result(shard.number))

    return do
