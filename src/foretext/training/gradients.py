"""The gradients of a batch: computed micro-batch by micro-batch, and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import torch

from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.training.batches import Lanes, Part
from foretext.training.frozen_states import FrozenStates
from foretext.training.grad_cache import GradCache
from foretext.training.model import Model
from foretext.training.optimizer import is_fully_sharded
from foretext.training.processes import Processes
from foretext.training.records import Tally
from foretext.training.settings import TrainingConfig

__all__ = ["Gradients", "check_compiler"]


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
        self.compiles = config.compile
        if self.compiles:
            check_compiler(processes.device)
        self.forward = torch.compile(model) if config.compile else model
        vectors = torch.compile(model.vectors) if config.compile else model.vectors
        self.compared = GradCache(model, processes, vectors, gather)
        self.micro_batch = config.micro_batch_examples
        self.lanes = Lanes()
        self.computes_together = is_fully_sharded(config, processes)

    def add(self, part: Part, divisors: Mapping[str, int], tally: Tally) -> None:
        """Add the gradients of a batch to those of the weights, and its scores to the tally.

        Args:
            part: of the batch; all of it where its examples are compared.
            divisors: of the summed loss of each part of it.
            tally: of this process.

        Raises:
            SettingError: rows hand on states, and several processes share them.
        """
        if self.model.objective.compares_examples:
            self._add_compared(part.batch, divisors, tally)
        else:
            self._add_rows(part, divisors, tally)

    def _add_compared(self, batch: Batch, divisors: Mapping[str, int], tally: Tally) -> None:
        own = self.processes.rows(batch)
        made = [] if own is None else self._micro_batches(own)
        parts = [each.to(self.model.device) for each in made]
        scores = self.compared.backward(batch, parts, divisors)
        if self.processes.is_first:  # all know the loss of the whole batch
            tally.add(scores)

    def _add_rows(self, part: Part, divisors: Mapping[str, int], tally: Tally) -> None:
        batch = self._continued(part.batch)
        for whole in self._micro_batches(batch) if part.rows else ():
            rows = self.model.objective.located(whole.cut(part.num_parts))
            scores = self.forward(self._moved(rows), self.frozen.of(rows))
            loss = sum(score.part_of_loss(divisors[name]) for name, score in scores.items())
            loss.backward()
            self.gather()
            tally.add(scores)
            self.lanes.add(self.model.carried)
        self.lanes.end()
        if self.computes_together:
            self._pass_without_rows(part)

    def _moved(self, rows: Batch) -> Batch:
        """Return the rows on the device; sizes that differ by batch are marked for a compiler."""
        moved = rows.to(self.model.device)
        if self.compiles:
            for name in rows.by_example:
                torch._dynamo.maybe_mark_dynamic(moved.targets[name], 0)
        return moved

    def _pass_without_rows(self, part: Part) -> None:
        """Make a pass of weight 0 for each micro-batch that another process has more than this one.

        Where weights are shared out, every pass needs all processes.
        """
        size = self.micro_batch or part.num_examples
        most = -(-part.num_examples // self.processes.size)
        for _ in range(-(-most // size) - -(-len(part.rows) // size)):
            scores = self.forward(part.batch.rows(0, 1).to(self.model.device), None)
            (sum(score.part_of_loss(1) for score in scores.values()) * 0.0).backward()

    def _continued(self, batch: Batch) -> Batch:
        """Return the batch with the states that its rows begin with."""
        if batch.continues and self.processes.size > 1:
            raise SettingError(
                f"[objective] {type(self.model.objective).__name__} carries the state of each row "
                "over to the next batch, which one process alone can do; start it without torchrun."
            )
        return self.lanes.begin(batch)

    def _micro_batches(self, batch: Batch) -> Iterator[Batch]:
        """Yield own rows, as many at a time as the user wants computed at once."""
        size = self.micro_batch or len(batch)
        for start in range(0, len(batch), size):
            yield batch.rows(start, min(start + size, len(batch)))


@cache
def check_compiler(device: torch.device) -> None:
    """Compile a sum, which takes some seconds.

    Raises:
        SettingError: that does not work.
    """
    try:
        torch.compile(torch.add)(torch.zeros(2, device=device), torch.ones(2, device=device))
    except Exception as error:  # of many classes, which differ by version
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise SettingError(
            f"[training] compile = true: PyTorch cannot compile for {device} on this machine: "
            f"{reason}. Leave it out, or install a C++ compiler."
        ) from error
