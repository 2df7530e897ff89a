"""Numbers that each process counted of its rows, added up to those of the whole batch."""

from __future__ import annotations

import json
from collections.abc import Mapping

import torch
import torch.distributed as dist

from foretext.base.parsing.json_text import json_value
from foretext.training.processes import Processes

__all__ = ["Totals"]


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
