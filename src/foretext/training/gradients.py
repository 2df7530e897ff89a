"""The gradients of a batch: computed micro-batch by micro-batch, and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch

from foretext.data.batch import Batch
from foretext.errors import SettingError
from foretext.training.frozen_states import FrozenStates
from foretext.training.grad_cache import GradCache
from foretext.training.lanes import Lanes
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from foretext.training.tally import Tally

__all__ = ["Gradients"]


class Gradients:
    """Adds the gradients of one batch after another, and keeps what its rows hand on.

    Args:
        model: on its device.
        config: the user's settings.
        processes: that share each batch.
        frozen: states of layers that do not learn.
        gather: is called after each backward pass.
    """

    def __init__(
        self,
        model: Model,
        config: TrainingConfig,
        processes: Processes,
        frozen: FrozenStates,
        gather: Callable[[], object],
    ) -> None:
        self.model, self.processes = model, processes
        self.frozen, self.gather = frozen, gather
        self.forward = torch.compile(model) if config.compile else model
        vectors = torch.compile(model.vectors) if config.compile else model.vectors
        self.compared = GradCache(model, processes, vectors, gather)
        self.micro_batch = config.micro_batch_examples
        self.lanes = Lanes()

    def add(self, batch: Batch, divisors: Mapping[str, int], tally: Tally) -> None:
        """Add the gradients of a batch to those of the weights, and its scores to the tally.

        Args:
            batch: of all processes.
            divisors: of the summed loss of each part of it.
            tally: of this process.

        Raises:
            SettingError: rows hand on states, and several processes share them.
        """
        if self.model.objective.compares_examples:
            self._add_compared(batch, divisors, tally)
        else:
            self._add_rows(batch, divisors, tally)

    def _add_compared(self, batch: Batch, divisors: Mapping[str, int], tally: Tally) -> None:
        parts = [part.to(self.model.device) for part in self._micro_batches(batch)]
        scores = self.compared.backward(batch, parts, divisors)
        if self.processes.is_first:  # all know the loss of the whole batch
            tally.add(scores)

    def _add_rows(self, batch: Batch, divisors: Mapping[str, int], tally: Tally) -> None:
        for part in self._micro_batches(self._continued(batch)):
            scores = self.forward(part.to(self.model.device), self.frozen.of(part))
            loss = sum(score.part_of_loss(divisors[name]) for name, score in scores.items())
            loss.backward()
            self.gather()
            tally.add(scores)
            self.lanes.add(self.model.carried)
        self.lanes.end()

    def _continued(self, batch: Batch) -> Batch:
        """Return the batch with the states that its rows begin with."""
        if batch.continues and self.processes.size > 1:
            raise SettingError(
                f"[objective] {type(self.model.objective).__name__} carries the state of each row "
                "over to the next batch, which one process alone can do; start it without torchrun."
            )
        return self.lanes.begin(batch)

    def _micro_batches(self, batch: Batch) -> Iterator[Batch]:
        """This process's rows, as many at a time as the user wants computed at once."""
        share = self.processes.rows(batch)
        size = self.micro_batch or len(batch)
        for start in range(0, 0 if share is None else len(share), size):
            assert share is not None
            yield share.rows(start, min(start + size, len(share)))
