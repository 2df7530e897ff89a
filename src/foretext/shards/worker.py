"""A process that does shards: ``python -P -m foretext.shards.worker``."""

from __future__ import annotations

from foretext.base.workers import Service
from foretext.shards.local import Task, read_task, read_work
from foretext.shards.work import Fill, ShardWork, fill_shard

__all__: list[str] = []


class _Filler:
    """Does shards; what does them is opened with the first one, for what it may refuse."""

    def __init__(self, work: ShardWork) -> None:
        self._work = work
        self._fill: Fill | None = None

    def do(self, task: Task) -> None:
        self._fill = self._fill or self._work.opened()
        fill_shard(self._fill, task.data, task.folder)


if __name__ == "__main__":
    service = Service()
    if (work := read_work(service.lines)) is not None:
        service.run(read_task, _Filler(work).do)
