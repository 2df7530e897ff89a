"""Several processes that train one model, as torchrun starts them; usually there is one.

Each process takes its rows of every batch, and gradients are summed before each step. As every loss
is divided by the predictions of the whole batch, the sum is the gradient that one process would
have found, whatever rows each has.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from foretext.base.errors import SettingError
from foretext.base.runtime import num_processes
from foretext.data.batch import Batch
from foretext.training.meeting import agreed_name

__all__ = ["Processes"]

PATIENCE = 24 * 3600  # seconds that the others wait while the first one reads the text


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
