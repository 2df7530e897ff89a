"""What a training does with held-out examples: when it measures how many, and what was best."""

from __future__ import annotations

from collections.abc import Callable

from foretext.training.measuring import choose_sample
from foretext.training.model import Model
from foretext.training.schedule import Schedule
from foretext.training.state import TrainingState
from foretext.training.validation import Validation

__all__ = ["HeldOut"]


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
                    f"{found.size:,} of {validation.num_examples:,} held-out examples are measured "
                    "during the training, as the time allows"
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
