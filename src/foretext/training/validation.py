"""How good a model is on what it was not trained on, under the same questions every time."""

from __future__ import annotations

from typing import Protocol

import torch

from foretext.data.examples import Examples
from foretext.training.batches import Batches
from foretext.training.model import Model
from foretext.training.tally import Tally

__all__ = ["HeldOutLoss", "Validation"]

FROZEN_SEED = 20_061_015  # of masks and pairs, the same in every run, so that losses compare


class Validation(Protocol):
    """Measures a model now and then."""

    judged_by: str  # the figure by which one model is better than another
    higher_is_better: bool

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of a model that is in evaluation mode."""

    def rewind(self, num_measured: int) -> None:
        """Forget what was kept of all but the first `num_measured` measurements.

        A resumed training calls it, for it measures again what its checkpoint does not know of.
        """
        return


class HeldOutLoss(Validation):
    """The loss and accuracy of held-out examples, masked in one way for ever."""

    judged_by = "valid_loss"
    higher_is_better = False

    def __init__(self, examples: Examples, batch_examples: int) -> None:
        self.batches = Batches(examples, batch_examples, FROZEN_SEED)

    def measure(self, model: Model) -> dict[str, float]:
        """Score every held-out example once."""
        tally = Tally()
        with torch.inference_mode():
            for step in range(self.batches.per_epoch):
                batch = self.batches.batch(step)
                tally.count(model.objective.counts(batch))
                tally.add(model(batch.to(model.device)))
        return tally.figures("valid_")
