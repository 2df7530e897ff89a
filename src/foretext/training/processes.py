"""Several processes that train one model, as torchrun starts them; usually there is one.

Each process takes its rows of every batch, and gradients are summed before each step. As every loss
is divided by the predictions of the whole batch, the sum is the gradient that one process would
have found, whatever rows each has.

The name under which processes meet, another one each time that torchrun starts them. Where
torchrun starts processes again, they meet in the same store, which still has the addresses of
those that died. So each start has keys of its own there. A number of the start is not known to
all: each machine counts its own failures, and one that has lost no process counts fewer than the
others. So the first process makes up a name, and tells it to each of the others when it asks.
"""

from __future__ import annotations

import atexit
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from foretext.base.errors import Interrupted, SettingError
from foretext.base.parsing.json_file import json_value
from foretext.base.runtime import num_processes
from foretext.data.batch import Batch

__all__ = ["Processes", "Totals", "agreed_name", "told_of_lost_processes"]

PATIENCE = 24 * 3600  # seconds that the others wait while the first one reads the text

# What gloo says in errors of no class of their own when the other end of a connection is gone.
SIGNS = ("gloo/transport", "Connection closed by peer", "Connection reset by peer")

POLL = 0.05  # seconds between two looks for processes that ask
ASKS, ANSWERED, KNOWS = "foretext/asks", "foretext/answered", "foretext/knows"  # keys of the store


class Processes:
    """This process among the others; a group is joined where torchrun's variables say so.

    Args:
        device: where tensors are; CUDA devices speak NCCL, all others gloo.
        alone: whether only this process trains, such as in a trial.
    """

    def __init__(self, device: torch.device, *, alone: bool = False) -> None:
        self.device = device
        self.size = 1 if alone else num_processes()
        self.rank = int(os.environ.get("RANK", "0"))
        if self.size > 1 and not dist.is_initialized():
            if device.type == "cuda":  # what PyTorch sends of itself goes there, too
                torch.cuda.set_device(device)
            _join("nccl" if device.type == "cuda" else "gloo")
            atexit.register(dist.destroy_process_group)

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes files and prints."""
        return self.rank == 0

    def broadcast(self, text: str, speaker: int = 0) -> str:
        """Return the text of one process, the first by default; the others wait for it."""
        if self.size == 1:
            return text
        said = torch.tensor(list(text.encode()), dtype=torch.uint8, device=self.device)
        length = torch.tensor(len(said), device=self.device)
        dist.broadcast(length, speaker)
        if self.rank != speaker:
            said = torch.zeros(int(length), dtype=torch.uint8, device=self.device)
        dist.broadcast(said, speaker)
        return bytes(said.tolist()).decode()

    def texts(self, text: str) -> list[str]:
        """Return the texts of all processes, in their order; each gives its own."""
        return [self.broadcast(text, speaker) for speaker in range(self.size)]

    def rows(self, batch: Batch) -> Batch | None:
        """Return this process's share of a batch's rows; None where there are too few for all."""
        own = self.share_of(len(batch))
        return batch.rows(own.start, own.stop) if own else None

    def share_of(self, count: int) -> range:
        """Return which of so many rows are this process's."""
        start, stop = (count * rank // self.size for rank in (self.rank, self.rank + 1))
        return range(start, stop)

    def sum(self, tensors: Iterable[Tensor]) -> None:
        """Add up each tensor over all processes, in place."""
        if self.size > 1:
            for tensor in tensors:
                dist.all_reduce(tensor)

    def clock(self, seconds: float) -> float:
        """Return the first process's time, so that all come to one end."""
        if self.size == 1:
            return seconds
        sent = torch.tensor(seconds, dtype=torch.float64, device=self.device)
        dist.broadcast(sent, 0)
        return float(sent)

    def agree(self, flag: bool) -> bool:
        """Return whether any process has the flag, at the same step in all."""
        if self.size == 1:
            return flag
        said = torch.tensor(float(flag), device=self.device)
        dist.all_reduce(said, dist.ReduceOp.MAX)
        return bool(said)


def _join(backend: str) -> None:
    """Join the group of all processes.

    Raises:
        SettingError: the others cannot be reached.
    """
    patience = timedelta(seconds=PATIENCE)
    try:
        store, rank, size = next(rendezvous("env://", timeout=patience))
        own = PrefixStore(agreed_name(store, rank, size, PATIENCE), store)
        dist.init_process_group(backend, store=own, rank=rank, world_size=size, timeout=patience)
    except (RuntimeError, ValueError) as error:
        where = f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
        raise SettingError(
            f"The processes that torchrun started do not meet at {where} "
            f"({str(error).splitlines()[0]}); check the addresses that torchrun was given, and "
            "that no firewall stands between the machines."
        ) from error


@contextmanager
def told_of_lost_processes(processes: Processes) -> Iterator[None]:
    """Turn errors of the connection to another process into a sentence.

    Raises:
        Interrupted: another process has ended.
    """
    try:
        yield
    except RuntimeError as error:
        is_lost = isinstance(error, dist.DistError) or any(sign in str(error) for sign in SIGNS)
        if processes.size == 1 or not is_lost:
            raise
        raise Interrupted(
            f"Process {processes.rank} of {processes.size} lost the connection to another one, "
            "whose own message says why it ended; go on from the last checkpoint with --resume, or "
            "let torchrun do so with --max-restarts."
        ) from error


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
    name = store.get(f"{ANSWERED}/{own}").decode()  # waits for it
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
                store.set(f"{ANSWERED}/{store.get(f'{ASKS}/{rank}').decode()}", name)
        time.sleep(POLL)
    return name


class Totals:
    """Adds up numbers by name over the processes, in one message for all of them.

    A process may count what others do not have. So the names that any of them ever had are known
    to all: with the numbers each says whether it has new names, and if one has, all exchange them.

    Args:
        processes: that share the batches; each calls `of` for every batch.
    """

    def __init__(self, processes: Processes) -> None:
        self.processes = processes
        self._names: list[str] = []

    def of(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Return the sums of all processes; names that others have come last.

        Args:
            counts: of this process's rows.
        """
        if self.processes.size == 1:
            return dict(counts)
        while True:
            new = [name for name in counts if name not in self._names]
            numbers = [len(new), *(counts.get(name, 0) for name in self._names)]
            sums = torch.tensor(numbers, dtype=torch.int64, device=self.processes.device)
            dist.all_reduce(sums)
            num_new, *totals = sums.tolist()
            if not num_new:
                found = dict(zip(self._names, totals, strict=True))
                return {**{name: found[name] for name in counts}, **found}
            self._learn(new)

    def _learn(self, names: list[str]) -> None:
        """Take over the new names of all processes; they are sent as JSON, not as a pickle."""
        everyones = [json_value(each) for each in self.processes.texts(json.dumps(names))]
        self._names = sorted({*self._names, *(name for theirs in everyones for name in theirs)})
