"""Gradients of a loss that compares all examples of a batch, computed in micro-batches.

GradCache (Gao et al. 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited
Setup", section 3.2): the vectors of all micro-batches are computed without a graph, the loss and
its gradient by vectors follow, and each micro-batch is computed again for its own gradient. The
second time the generators begin where they began the first time, so that dropout is the same and
the gradient is that of the whole batch. Several processes share a batch in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from foretext.data.batch import Batch
from foretext.nn.vocabulary_head import Score
from foretext.training.checkpoints import generator_states, set_generators
from foretext.training.model import Model
from foretext.training.processes import Processes

__all__ = ["GradCache"]

VectorsOf = Callable[[Batch], Tensor]


class GradCache:
    """Adds the gradients of a batch whose examples are compared with each other.

    Args:
        model: with a criterion that `compares_examples`.
        processes: that share each batch.
        vectors_of: returns the vectors (rows, D) of a micro-batch.
        gather: is called after each backward pass.
    """

    def __init__(
        self,
        model: Model,
        processes: Processes,
        vectors_of: VectorsOf,
        gather: Callable[[], object],
    ) -> None:
        self.model, self.processes = model, processes
        self.vectors_of, self.gather = vectors_of, gather

    def backward(
        self, batch: Batch, parts: Sequence[Batch], divisors: Mapping[str, int]
    ) -> Mapping[str, Score]:
        """Add the gradients of a batch, and return its scores.

        Args:
            batch: of all processes.
            parts: the micro-batches of this process, its examples in order.
            divisors: of the summed loss of each part of it.
        """
        if len(parts) == 1 and self.processes.size == 1:
            scores = self._compared(self.vectors_of(parts[0]), batch)
            torch.autograd.backward(_loss(scores, divisors))
            self.gather()
            return scores
        begins, vectors = [], []
        with torch.no_grad():
            for part in parts:
                begins.append(generator_states())
                vectors.append(self.vectors_of(part))
        whole, first = self._together(vectors, batch)
        whole.requires_grad_()
        scores = self._compared(whole, batch)
        torch.autograd.backward(_loss(scores, divisors))
        gradients = whole.grad
        assert gradients is not None, "the loss does not depend on the vectors"
        for part, begin in zip(parts, begins, strict=True):
            set_generators(begin)
            found = self.vectors_of(part)
            torch.autograd.backward(found, gradients[first : first + len(found)])
            self.gather()
            first += len(found)
        return scores

    def _compared(self, vectors: Tensor, batch: Batch) -> Mapping[str, Score]:
        targets = {name: each.to(vectors.device) for name, each in batch.targets.items()}
        return self.model.objective.compare(vectors, targets)

    def _together(self, vectors: Sequence[Tensor], batch: Batch) -> tuple[Tensor, int]:
        """Return the vectors of all processes, (B, D), and the first row of this one's."""
        if self.processes.size == 1:
            return torch.cat([*vectors]), 0
        width, device = self.model.backbone.dim, self.model.device
        whole = torch.zeros(len(batch) * batch.group, width, device=device)
        first = len(batch) * self.processes.rank // self.processes.size * batch.group
        place = first
        for each in vectors:
            whole[place : place + len(each)] = each
            place += len(each)
        self.processes.sum([whole])
        return whole, first


def _loss(scores: Mapping[str, Score], divisors: Mapping[str, int]) -> Tensor:
    parts = [score.part_of_loss(divisors[name]) for name, score in scores.items()]
    return torch.stack(parts).sum()
