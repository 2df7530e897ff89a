"""The records of a training: what happened since the one before, by line of metrics.jsonl."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from foretext.base.errors import DivergedError, MissingExtraError
from foretext.nn.vocabulary_head import Score
from foretext.progress.run_context import RunContext
from foretext.training.processes import Processes
from foretext.training.schedule import Schedule
from foretext.training.state import TrainingState

__all__ = ["Records", "Tally"]

RECORD_SECONDS = 5.0  # between two records without a held-out loss, about
RECORD_STEPS = 200  # of a training with a known number of steps there are about as many records

Divisors = Callable[[Mapping[str, int]], Mapping[str, int]]


def _own_counts(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Divide the loss of each part by the number of its predictions."""
    return counts


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
        divisors: Divisors = _own_counts,
        validates: bool = False,
    ) -> None:
        self.schedule, self.log, self.processes, self.peak = schedule, context.log, processes, peak
        self.divisors, self.validates = divisors, validates
        with_board = schedule.config.tensorboard and processes.is_first
        self.board = _Board(context.folder / "tensorboard") if with_board else None
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


class _Board:
    """Writes records as scalars; held-out figures stand apart.

    Raises:
        MissingExtraError: the package tensorboard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError(
                "tensorboard", "tensorboard", "training.tensorboard = true"
            ) from error
        self._writer: Any = SummaryWriter(str(folder))

    def append(self, record: Mapping[str, Any]) -> None:
        """Write the figures of a line of metrics.jsonl, by step and by time."""
        for name, value in record.items():
            if name not in ("step", "time"):
                group = "held out" if name.startswith("valid_") else "training"
                self._writer.add_scalar(f"{group}/{name}", value, record["step"])
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


class Tally:
    """Sums of scores by part; `figures` makes means of them.

    Args:
        divisors: of the losses of parts; see `Criterion.divisors`.
    """

    def __init__(self, divisors: Divisors = _own_counts) -> None:
        self._divisors = divisors
        self._losses: dict[str, Tensor | float] = defaultdict(float)
        self._correct: dict[str, Tensor | float] = {}
        self._majority: dict[str, Tensor | float] = {}
        self._weights: dict[str, float] = {}
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, scores: Mapping[str, Score]) -> None:
        """Add what was computed."""
        for part, score in scores.items():
            self._losses[part] = self._losses[part] + score.loss.detach().double()
            self._weights[part] = score.weight
            if score.num_correct is not None:
                self._correct[part] = self._correct.get(part, 0.0) + score.num_correct.double()
            if score.num_majority is not None:
                self._majority[part] = self._majority.get(part, 0.0) + score.num_majority.double()

    def count(self, counts: Mapping[str, int]) -> None:
        """Add the numbers of predictions."""
        for part, count in counts.items():
            self._counts[part] += count

    def figures(self, prefix: str = "") -> dict[str, float]:
        """Return ``loss``, the weighted sum over the parts, and the loss and accuracy of each part.

        Where a score says how often the majority answer is right, that share stands beside.

        Args:
            prefix: of the names.
        """
        counted = {part: count for part, count in self._counts.items() if count}
        losses = {part: float(self._losses[part]) / count for part, count in counted.items()}
        divisors = self._divisors(counted)
        weighted = (
            self._weights.get(part, 1.0) * (float(self._losses[part]) / divisors[part])
            for part in counted
        )
        figures = {f"{prefix}loss": sum(weighted)}
        if len(losses) > 1:
            figures |= {f"{prefix}{part}_loss": loss for part, loss in losses.items()}
        for part, correct in self._correct.items():
            if part in counted:
                figures[f"{prefix}{part}_accuracy"] = float(correct) / counted[part]
            if part in counted and part in self._majority:
                right = float(self._majority[part])
                figures[f"{prefix}{part}_majority_accuracy"] = right / counted[part]
        return figures

    def total(self, processes: Processes) -> Tally:
        """Return the sums over processes that each have a share of the losses.

        Counts are of the whole already; a part that a process never met is zero there.
        """
        total = Tally(self._divisors)
        total.count(self._counts)
        for part in sorted(self._counts):
            sums = torch.zeros(3, dtype=torch.float64, device=processes.device)
            sums[0] = self._losses[part]
            sums[1] = self._correct.get(part, 0.0)
            sums[2] = self._majority.get(part, 0.0)
            processes.sum([sums])
            total._losses[part] = sums[0]
            if part in self._correct:
                total._correct[part] = sums[1]
            if part in self._majority:
                total._majority[part] = sums[2]
        total._weights.update(self._weights)
        return total

    def state(self) -> dict[str, dict[str, float]]:
        """Return the sums as plain numbers, for a checkpoint."""
        return {
            "losses": {part: float(loss) for part, loss in self._losses.items()},
            "correct": {part: float(correct) for part, correct in self._correct.items()},
            "majority": {part: float(right) for part, right in self._majority.items()},
            "weights": dict(self._weights),
            "counts": dict(self._counts),
        }

    def load_state(self, state: Mapping[str, Mapping[str, Any]], *, share: bool) -> None:
        """Continue from `state`; only the first process takes the losses, all take the counts."""
        self._counts.update({part: int(n) for part, n in state.get("counts", {}).items()})
        self._weights.update(state.get("weights", {}))
        if share:
            self._losses.update(state.get("losses", {}))
            self._correct.update(state.get("correct", {}))
            self._majority.update(state.get("majority", {}))
