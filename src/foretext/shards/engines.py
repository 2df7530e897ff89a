"""Who does the work on shards, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from foretext.base.errors import SettingError, did_you_mean
from foretext.base.runtime import usable_cores
from foretext.shards.local import LocalEngine
from foretext.shards.on_ray import RayEngine
from foretext.shards.work import DoneShard, Shard, ShardWork

__all__ = ["ShardEngine", "asked_engine", "chosen_engine"]


def chosen_engine(
    name: str = "local", address: str | None = None, workers: int | None = None
) -> ShardEngine:
    """Return what does the work.

    Args:
        name: ``local``, processes of this machine, or ``ray``, a cluster.
        address: of the cluster: ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``; None:
            auto.
        workers: shards that are done at once; None: as many as there are cores.

    Raises:
        SettingError: there is no such engine, no cluster, or the address has no effect.
        MissingExtraError: Ray is not installed.
    """
    makers = {"local": _local, "ray": _on_ray}
    if name not in makers:
        hint = did_you_mean(name, makers) or f" There are: {', '.join(makers)}."
        raise SettingError(f"engine = '{name}': there is no such one.{hint}")
    return makers[name](address, workers)


def asked_engine(
    name: str = "local", address: str | None = None, workers: int | None = None
) -> ShardEngine | None:
    """Return what does the work where the user has asked for processes; None: threads do it.

    Raises:
        ForetextError: as `chosen_engine`.
    """
    if (name, address, workers) == ("local", None, None):
        return None
    return chosen_engine(name, address, workers)


def _local(address: str | None, workers: int | None) -> ShardEngine:
    if address is not None:
        raise SettingError(
            f"address = '{address}' has no effect without a cluster; add --engine ray "
            "(engine='ray')."
        )
    return LocalEngine(usable_cores() if workers is None else workers)


def _on_ray(address: str | None, workers: int | None) -> ShardEngine:
    return RayEngine("auto" if address is None else address, workers)


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
