"""The name under which processes meet, another one each time that torchrun starts them.

Where torchrun starts processes again, they meet in the same store, which still has the addresses of
those that died. So each start has keys of its own there. A number of the start is not known to all:
each machine counts its own failures, and one that has lost no process counts fewer than the others.
So the first process makes up a name, and tells it to each of the others when it asks.
"""

from __future__ import annotations

import time
from uuid import uuid4

from torch.distributed.distributed_c10d import Store

__all__ = ["agreed_name"]

POLL = 0.05  # seconds between two looks for processes that ask
ASKS, TOLD, KNOWS = "foretext/asks", "foretext/told", "foretext/knows"  # keys of the store


def agreed_name(store: Store, rank: int, size: int, patience: float) -> str:
    """Return the name of this start, the same in all of its processes.

    Args:
        store: in which earlier starts may have left something.
        rank: of this process.
        size: number of processes; each calls this once in a start.
        patience: seconds that they wait for each other.

    Raises:
        RuntimeError: they have not all come in time.
    """
    return _tell(store, size, patience) if rank == 0 else _ask(store, rank)


def _ask(store: Store, rank: int) -> str:
    """Ask under a name of one's own: an answer to a process that died is not for this one."""
    own = uuid4().hex
    store.set(f"{ASKS}/{rank}", own)
    name = store.get(f"{TOLD}/{own}").decode()  # waits for it
    store.set(f"{KNOWS}/{name}/{rank}", "")
    return name


def _tell(store: Store, size: int, patience: float) -> str:
    name, end = uuid4().hex, time.monotonic() + patience
    waiting = list(range(1, size))
    while waiting := [rank for rank in waiting if not store.check([f"{KNOWS}/{name}/{rank}"])]:
        if time.monotonic() > end:
            raise RuntimeError(f"{len(waiting)} of {size} have not come")
        for rank in waiting:
            if store.check([f"{ASKS}/{rank}"]):
                store.set(f"{TOLD}/{store.get(f'{ASKS}/{rank}').decode()}", name)
        time.sleep(POLL)
    return name
