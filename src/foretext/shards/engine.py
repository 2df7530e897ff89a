"""Who does the work on shards: processes of this machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from foretext.shards.work import DoneShard, Shard, ShardWork

__all__ = ["ShardEngine"]


class ShardEngine(Protocol):
    """Does work on shards, several at once.

    Attributes:
        workers: shards that are done at once.
        cluster: address of the cluster that does them; None: this machine.
    """

    workers: int
    cluster: str | None

    def run(self, work: ShardWork, shards: Iterable[Shard]) -> Iterator[DoneShard]:
        """Yield each shard in order, once its result is in the folder of `work`.

        A shard whose result is there already is not done again. A few shards at a time are taken
        from `shards`, so that a text need not fit into memory. Where the caller stops, shards that
        were begun are finished or leave nothing.

        Raises:
            ForetextError: a shard cannot be done, or its result not be written; others stay.
        """
        ...
