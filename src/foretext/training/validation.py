"""How good a model is on held-out examples, drawn in the same way every time."""

from __future__ import annotations

from typing import Protocol

import torch

from foretext.data.examples import Examples
from foretext.training.batches import Batches
from foretext.training.lanes import Lanes
from foretext.training.model import Model
from foretext.training.tally import Tally

__all__ = ["HeldOutLoss", "Validation"]

FROZEN_SEED = 20_061_015  # of masks and pairs: the same in every run, so that losses compare


class Validation(Protocol):
    """Measures a model now and then."""

    judged_by: str  # the figure by which one model is better than another
    higher_is_better: bool
    num_examples: int = 1  # that there are to measure
    # Whether it needs more than forward passes of the model that it is given, alike in all
    # processes: then it cannot measure one whose weights are shared out.
    reads_whole_weights: bool = True

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of a model that is in evaluation mode."""

    def sample(self, size: int) -> None:
        """Measure a fixed sample of so many examples from now on, the same for the same size."""
        return

    def rewind(self, num_measured: int) -> None:
        """Drop what was written of all but the first `num_measured` measurements.

        A resumed training calls it: it repeats the measurements after its checkpoint.
        """
        return


class HeldOutLoss(Validation):
    """The loss and accuracy of held-out examples, with the same masks in every run."""

    judged_by = "valid_loss"
    higher_is_better = False
    reads_whole_weights = False

    def __init__(self, examples: Examples, batch_examples: int, *, continues: bool = False) -> None:
        self.batches = Batches(examples, batch_examples, FROZEN_SEED, continues=continues)
        self.num_batches = self.batches.per_epoch
        self.num_examples = self.num_batches * batch_examples

    def sample(self, size: int) -> None:
        """Measure the first batches, which are in random order where no text continues."""
        wanted = -(-size // self.batches.size)
        self.num_batches = min(wanted, self.batches.per_epoch)

    def measure(self, model: Model) -> dict[str, float]:
        """Score every held-out example, or every one of the sample, once."""
        tally, lanes = Tally(model.objective.divisors), Lanes()
        with torch.inference_mode():
            for step in range(self.num_batches):
                batch = lanes.begin(self.batches.batch(step))
                tally.count(model.objective.counts(batch))
                tally.add(model(batch.to(model.device)))
                lanes.add(model.carried)
                lanes.end()
        return tally.figures("valid_")
