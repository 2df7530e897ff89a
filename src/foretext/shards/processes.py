"""Processes of this machine that do shards."""

from __future__ import annotations

from foretext.base.errors import SettingError
from foretext.base.workers import WorkerLostError, WorkerPool, WorkerProcess
from foretext.shards.messages import task_line, work_line
from foretext.shards.work import Shard, ShardWork

__all__ = ["Processes"]

TRIES = 2  # of a shard: the system ends processes where memory is short, and it may be back


class Processes(WorkerPool):
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
