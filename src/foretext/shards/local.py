"""Shards are done on this machine: by several processes, or by this one where one is enough.

What is said to a process that does shards, through its pipe. First a line with the work; for each
shard a line with the folder of its result and the number of bytes that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from foretext.base.errors import SettingError
from foretext.base.workers import (
    WorkerLostError,
    WorkerPool,
    WorkerProcess,
    read_values,
    values_line,
)
from foretext.shards.in_order import map_in_order
from foretext.shards.work import DoneShard, Fill, Shard, ShardWork, fill_shard

__all__ = ["LocalEngine", "Task", "read_task", "read_work", "task_line", "work_line"]

TRIES = 2  # of a shard: the system ends processes where memory is short, and it may be back


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
        with _Processes(self.workers, work) as processes:
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


class Task(NamedTuple):
    """One shard to be done."""

    folder: Path
    data: bytes


def work_line(work: ShardWork) -> bytes:
    """Return the first line."""
    return values_line(work.opener, work.settings, str(work.folder))


def read_work(lines: BinaryIO) -> ShardWork | None:
    """Read the first line; None: it never came."""
    values = read_values(lines)
    if values is None:
        return None
    opener, settings, folder = values
    return ShardWork(opener, settings, Path(folder))


def task_line(folder: Path, num_bytes: int) -> bytes:
    """Return the line of a shard, which its data follow."""
    return values_line(str(folder), num_bytes)


def read_task(lines: BinaryIO) -> Task | None:
    """Read a shard; None: there are no more, or its data were cut off."""
    values = read_values(lines)
    if values is None:
        return None
    folder, num_bytes = values
    data = lines.read(num_bytes)
    return Task(Path(folder), data) if len(data) == num_bytes else None


class _Processes(WorkerPool):
    """Processes that do shards; a result is there as a whole or not at all.

    Args:
        number: of processes.
        work: what they do.
    """

    def __init__(self, number: int, work: ShardWork) -> None:
        super().__init__(number, self._begun, tries=TRIES)
        self._work = work

    def do(self, shard: Shard) -> None:
        """Have a process do a shard.

        Raises:
            ForetextError: it cannot be done, or processes end while they do it.
        """
        data = shard.data()
        try:
            self.ask(task_line(self._work.result(shard.number), len(data)), data)
        except WorkerLostError as lost:
            raise SettingError(
                f"A process that works on the text ended (code {lost.code}); free memory or take "
                "fewer --workers, and run again, with --resume where a part was finished."
            ) from lost

    def _begun(self) -> WorkerProcess:
        process = WorkerProcess("foretext.shards.worker", remedy="take fewer --workers")
        process.tell(work_line(self._work))
        return process
