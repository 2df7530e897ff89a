"""How good a model is on held-out examples, drawn in the same way every time.

How many held-out examples are measured where the time of a training is limited. To measure all of
them can take longer than hundreds of steps. So a sample is measured, which is chosen once, before
the first step, from the speed that is found there. It stays the same, so that the figures of two
moments compare, and the best weights are the best ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch

from foretext.data.examples import Examples
from foretext.messages import message
from foretext.progress.budget import Clock
from foretext.training.batches import Batches, Lanes
from foretext.training.model import Model
from foretext.training.records import Tally
from foretext.training.schedule import MEASURING_RATE, VALIDATIONS, Schedule
from foretext.training.state import TrainingState

__all__ = ["HeldOut", "HeldOutLoss", "Sample", "Validation", "choose_sample", "sample_size"]

FROZEN_SEED = 20_061_015  # of masks and pairs: the same in every run, so that losses compare

ENOUGH = 500  # examples, by which weights compare well; with fewer there are fewer measurements
FEWEST = 2  # measurements
LEAST = 16  # examples, however long they take: of fewer some figures cannot be said
FIRST, GROWTH = 16, 4  # examples that are timed, and how many times more come next
PROBE_RATE = 0.0025  # of the time, for the longest of the timed measurements, about


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


class HeldOut:
    """Measures a model now and then.

    Args:
        model: that is trained.
        validation: measures it; None: nothing is held out.
        schedule: says when.
        clock: seconds of the training, the same in all processes.
        note: is called with what a person should know.
    """

    def __init__(
        self,
        model: Model,
        validation: Validation | None,
        schedule: Schedule,
        clock: Callable[[], float],
        note: Callable[[str], object],
    ) -> None:
        self.model, self.validation, self.schedule = model, validation, schedule
        self.clock, self.note = clock, note

    def rewind(self, state: TrainingState) -> None:
        """Drop what was written of measurements that the state does not know of."""
        if self.validation is not None:
            judged_by = self.validation.judged_by
            self.validation.rewind(sum(judged_by in record for record in state.history))

    def choose_sample(self, state: TrainingState) -> None:
        """Choose how many examples are measured under a budget, unless that was done before."""
        schedule, validation = self.schedule, self.validation
        if schedule.budget is None or schedule.limit is None or validation is None:
            return
        if not state.sample:
            self.model.eval()
            found = choose_sample(self._probe, validation.num_examples, schedule.limit, self.clock)
            self.model.train()
            validation.rewind(0)  # what the probes wrote is no part of the training
            state.sample, state.measuring = found
            if found.size < validation.num_examples:
                self.note(
                    message(
                        "notes.pretrain.sampled", number=found.size, all=validation.num_examples
                    )
                )
        validation.sample(state.sample)
        schedule.reserve(state.measuring)

    def due(self, state: TrainingState) -> bool:
        """Whether it is time to measure."""
        if self.validation is None or state.step == 0:
            return False
        return self.schedule.validates(state.step, state.seconds, state.validated)

    def is_measured(self, state: TrainingState) -> bool:
        """Whether the newest record is of this step, with held-out figures."""
        last = state.history[-1] if state.history else {}
        judged_by = self.validation.judged_by if self.validation is not None else ""
        return last.get("step") == state.step and judged_by in last

    def measure(self, state: TrainingState) -> tuple[dict[str, float], bool]:
        """Return the figures of the model, and whether it was never better before."""
        assert self.validation is not None
        began = self.clock()
        self.model.eval()
        figures = self.validation.measure(self.model)
        self.model.train()
        state.seconds = self.clock()
        state.measuring = state.seconds - began
        if self.schedule.is_limited:
            self.schedule.reserve(state.measuring)
        state.validated = self.schedule.done(state.step, state.seconds)
        judged = figures[self.validation.judged_by]
        sign = 1 if self.validation.higher_is_better else -1
        if state.best is not None and sign * judged <= sign * state.best:
            state.stale += 1
            return figures, False
        state.best, state.stale = judged, 0
        return figures, True

    def _probe(self, size: int) -> None:
        assert self.validation is not None
        self.validation.sample(size)
        self.validation.measure(self.model)


class Sample(NamedTuple):
    """What is measured."""

    size: int  # examples
    seconds: float  # that measuring them takes


def choose_sample(
    measure: Callable[[int], object], num_examples: int, seconds: float, clock: Clock
) -> Sample:
    """Return a sample that can be measured again and again in a tenth of the time.

    Args:
        measure: a sample of a size. The first call is not timed: it makes the kernels ready.
        num_examples: that there are.
        seconds: of the training.
        clock: counts seconds.
    """
    size = min(FIRST, num_examples)
    measure(size)
    while True:
        began = clock()
        measure(size)
        took = clock() - began
        if size == num_examples or took >= PROBE_RATE * seconds:
            break
        size = min(GROWTH * size, num_examples)
    pace = took / size
    chosen = sample_size(pace, num_examples, seconds)
    return Sample(chosen, pace * chosen)


def sample_size(pace: float, num_examples: int, seconds: float) -> int:
    """Return how many examples are measured each time.

    As many as leave room for the usual number of measurements, all if possible. Where these would
    be too few to compare weights by, measurements become fewer, down to two.

    Args:
        pace: seconds that an example takes.
        num_examples: that there are.
        seconds: of the training.
    """
    affordable = MEASURING_RATE * seconds / max(pace, 1e-9)  # examples in all
    size = max(affordable / VALIDATIONS, min(ENOUGH, affordable / FEWEST))
    return min(num_examples, max(LEAST, int(size)))
