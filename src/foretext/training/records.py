"""The records of a training: what happened since the one before, by line of metrics.jsonl."""

from __future__ import annotations

import math
from collections.abc import Mapping

from foretext.base.errors import DivergedError
from foretext.progress.run_context import RunContext
from foretext.training.board import Board
from foretext.training.processes import Processes
from foretext.training.schedule import Schedule
from foretext.training.state import TrainingState
from foretext.training.tally import Divisors, Tally, own_counts

__all__ = ["Records"]

RECORD_SECONDS = 5.0  # between two records without a held-out loss, about
RECORD_STEPS = 200  # of a training with a known number of steps there are about as many records


class Records:
    """Writes records to the history and to the files of the context.

    Args:
        schedule: of the training.
        context: where the files are.
        processes: whose losses are summed.
        peak: operations that their devices can do in a second; None: not known.
        divisors: of the losses of parts; see `Criterion.divisors`.
        validates: whether there are records with held-out figures too.
    """

    def __init__(
        self,
        schedule: Schedule,
        context: RunContext,
        processes: Processes,
        peak: float | None = None,
        *,
        divisors: Divisors = own_counts,
        validates: bool = False,
    ) -> None:
        self.schedule, self.log, self.processes, self.peak = schedule, context.log, processes, peak
        self.divisors, self.validates = divisors, validates
        with_board = schedule.config.tensorboard and processes.is_first
        self.board = Board(context.folder / "tensorboard") if with_board else None
        self.tally = Tally(divisors)  # of the steps since the newest record

    def due(self, state: TrainingState) -> bool:
        """Whether it is time for a record without held-out figures.

        It is not if another record, of a validation or the last one, comes within half an interval.
        So no two points of a curve are close together.
        """
        known = self.schedule.budget is None
        every = self.schedule.num_steps // RECORD_STEPS if known else 0
        if every:
            passed = state.step - last(state, "step") >= every
            return passed and not self._comes_anyway(state, every // 2, 0.0)
        seconds = RECORD_SECONDS / 2
        steps = int(seconds * state.step / max(state.seconds, 1e-3))
        passed = state.seconds - last(state, "time") >= RECORD_SECONDS
        return passed and not self._comes_anyway(state, steps, seconds)

    def add(self, state: TrainingState, measured: Mapping[str, float]) -> None:
        """Add a line: the figures of the training, and what was measured.

        Raises:
            DivergedError: the loss is no longer a number.
        """
        record = {**self._trained(state), **measured}
        self.tally = Tally(self.divisors)
        state.learning = 0.0
        state.history.append(record)
        for file in (self.log, self.board):
            if file is not None:
                file.append(record)

    def close(self) -> None:
        """Close the files that are not the context's own."""
        if self.board is not None:
            self.board.close()

    def _comes_anyway(self, state: TrainingState, steps: int, seconds: float) -> bool:
        """Whether a validation, or the end, comes within so many steps and seconds."""
        step, then = state.step + steps, state.seconds + seconds
        if self.schedule.finished(step, then):
            return True
        valid_steps = self.schedule.config.valid_steps
        if not self.validates or valid_steps is None:
            return self.validates and self.schedule.validates(step, then, state.validated)
        return -state.step % valid_steps <= steps

    def _trained(self, state: TrainingState) -> dict[str, float]:
        """Return what happened since the last record; that one's figures, where nothing did."""
        if state.history and state.history[-1]["step"] == state.step:
            return {**state.history[-1], "time": round(state.seconds, 3)}
        figures = self.tally.total(self.processes).figures()
        self._refuse_no_number(state, figures["loss"], state.gradient_norm)
        seconds = max(state.learning, 1e-3)  # validations and checkpoints are no part of the speed
        return {
            "time": round(state.seconds, 3),
            "step": state.step,
            "epoch": round(state.step / self.schedule.steps_per_epoch, 4),
            "tokens": state.tokens,
            "tokens_per_second": round((state.tokens - last(state, "tokens")) / seconds),
            **self._utilization(state, seconds),
            "learning_rate": self.schedule.learning_rate(state.step - 1, state.seconds),
            "gradient_norm": state.gradient_norm,
            **figures,
        }

    def _utilization(self, state: TrainingState, seconds: float) -> dict[str, float]:
        """Return the model's operations, and their share of what could have been done."""
        if self.peak is None:
            return {}
        done = (state.flops - last(state, "flops")) / seconds
        return {"flops": state.flops, "mfu": round(done / self.peak, 4)}

    def _refuse_no_number(self, state: TrainingState, *figures: float) -> None:
        if not all(map(math.isfinite, figures)):
            raise DivergedError(
                f"The loss is no longer a number after {state.step:,} steps; choose a lower "
                f"training.learning_rate than {self.schedule.config.learning_rate:g}, or a longer "
                "warm-up."
            )


def last(state: TrainingState, name: str) -> float:
    """Return a figure of the newest record; 0 where there is none."""
    return float(state.history[-1].get(name, 0.0)) if state.history else 0.0
