"""Sharded masters and moments: each of several processes keeps and updates one slice of them.

Stages 1 and 2 of Rajbhandari et al. 2020 ("ZeRO: Memory Optimizations Toward Training Trillion
Parameter Models", section 5). A master and its two moments take 12 bytes a parameter, and each of N
processes keeps 12 / N: for a billion parameters 12 GB where nothing is shared out, 6 GB in each of
two processes, 1.5 GB in each of eight. The sum of all gradients in float32, 4 bytes a parameter, is
never whole either. What the model computes with, and a process's own gradients, stay whole.

A slice is summed at its owner and sent from there, one after another. On a ring that moves as many
bytes as a reduce-scatter and an all-gather, it needs no vector of the whole sum, and it is the same
code for gloo and NCCL.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import Tensor

from foretext.training.processes import Processes

__all__ = ["ALIGNMENT", "Shard"]

ALIGNMENT = 32  # numbers; a cache line of bfloat16


class Shard:
    """The slice of flat vectors that one process owns; all of them where nothing is sharded.

    Processes that share must call each verb together.

    Args:
        size: how many numbers the vectors need; more are added until slices are equal.
        processes: those that share; None: this one owns all.
    """

    def __init__(self, size: int, processes: Processes | None = None) -> None:
        self.count = processes.size if processes else 1
        self.rank = processes.rank if processes and self.count > 1 else 0
        each = -(-size // (self.count * ALIGNMENT)) * ALIGNMENT
        self.size = self.count * each  # of a whole vector
        self.places = [slice(owner * each, (owner + 1) * each) for owner in range(self.count)]
        self.place = self.places[self.rank]

    def sum(self, part: Callable[[slice], Tensor]) -> Tensor:
        """Add up vectors over processes; returns the own slice of the sum.

        Args:
            part: makes a slice of this process's vector, to be overwritten.
        """
        for owner, place in enumerate(self.places):
            portion = part(place)
            dist.reduce(portion, owner)
            if owner == self.rank:
                own = portion
        return own

    def total(self, number: float, device: torch.device) -> float:
        """Add up a number over the slices."""
        if self.count == 1:
            return number
        sent = torch.tensor(number, dtype=torch.float64, device=device)
        dist.all_reduce(sent)
        return float(sent)

    def share(self, whole: Tensor) -> None:
        """Fill a whole vector, of which each process has its slice."""
        if self.count > 1:
            for owner, place in enumerate(self.places):
                dist.broadcast(whole[place], owner)

    def whole(self, own: Tensor) -> Tensor:
        """Return the whole vector of which each process gives its slice; not a copy if that is it.

        It is on the device of the slice.
        """
        if self.count == 1:
            return own
        whole = own.new_empty(self.size)
        whole[self.place] = own
        self.share(whole)
        return whole

    def collect(self, own: Tensor) -> Tensor | None:
        """Return the whole vector in the first process's main memory, and None in the others.

        Like `whole`, but on no device is there ever more than two slices of it.
        """
        if self.count == 1:
            return own
        if self.rank > 0:
            dist.send(own, 0)
            return None
        whole = torch.empty(self.size, dtype=own.dtype)
        whole[self.place] = own.cpu()
        portion = torch.empty_like(own)
        for owner, place in enumerate(self.places[1:], 1):
            dist.recv(portion, owner)
            whole[place] = portion.cpu()
        return whole
