"""What a batch takes: the tokens that are read, operations, and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from foretext.training.batches import Part
from foretext.training.flops import ModelFlops
from foretext.training.frozen_states import FrozenStates
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.totals import Totals

__all__ = ["Work", "WorkCounter"]

TOTAL = "total."  # before the names of sums that are no predictions


class Work(NamedTuple):
    """What a batch takes."""

    tokens: int  # that are read, padding not counted
    flops: int


class WorkCounter:
    """Counts what each batch takes, in all processes together.

    Args:
        model: that is trained.
        flops: of the model.
        frozen: the states that need not be computed again.
        processes: that share the batches.
    """

    def __init__(
        self, model: Model, flops: ModelFlops, frozen: FrozenStates, processes: Processes
    ) -> None:
        self.model, self.flops, self.frozen = model, flops, frozen
        # Of a batch that every process has as a whole, each counts all.
        self.totals = None if model.objective.compares_examples else Totals(processes)

    def of(self, part: Part) -> tuple[Mapping[str, int], Work]:
        """Return the predictions of a whole batch, by part of the loss, and what it takes."""
        counts = self.model.objective.counts(part.batch)
        computed = part.batch.cut(part.num_parts)
        flops = self.flops.of(computed, counts, knows_states=self.frozen.is_complete)
        work = Work(part.batch.inputs.num_tokens, flops)
        if self.totals is None:
            return counts, work
        counted = {**counts, **{TOTAL + name: n for name, n in work._asdict().items()}}
        totals = self.totals.of(counted if part.rows else dict.fromkeys(counted, 0))
        work = Work(*(totals.pop(TOTAL + name) for name in Work._fields))
        return totals, work
