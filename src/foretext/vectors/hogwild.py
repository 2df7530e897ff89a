"""Lock-free gradient descent by threads over slices of a text (Recht et al. 2011, "Hogwild!").

The loop knows no model: a `SliceLearner` learns one slice at a time, in place. The learning rate
and the random numbers of a slice depend on its number alone, so with one worker a resumed training
ends in the same bits as an unbroken one; with more, threads overwrite each other's updates now and
then, which costs nothing in quality, but no two runs are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.interruption import Interruption
from foretext.base.runtime import Threads
from foretext.progress import Progress
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import copy_arrays, saving_seconds
from foretext.progress.run_context import RunContext
from foretext.vectors.best_weights import STALE_EPOCHS, BestWeights
from foretext.vectors.divergence import refuse_divergence, refuse_loss
from foretext.vectors.schedule import (
    CoolDown,
    DescentConfig,
    Learned,
    LinearDecay,
    SliceLearner,
    step_seed,
)

__all__ = ["Hogwild", "HogwildState", "train_hogwild"]

ROUND_SLICES = 16  # slices a worker gets before all meet: a third of a second
LEAST_RATE = 0.1  # of a budget, to learn in, however long it took to compile
NUM_SAVINGS = 3  # of all weights after a training: last checkpoint, result, and the page reads it


@dataclass
class HogwildState:
    """How far a training has come; all of it is in a checkpoint."""

    step: int = 0  # slices learned
    words: int = 0
    seconds: float = 0.0
    records: int = 0
    loss: float = 0.0  # since the last record
    predictions: int = 0
    best: float | None = None  # held-out loss at the end of an epoch
    best_step: int = 0  # after which it was measured
    best_rate: float = 0.0  # of learning, then
    stale_epochs: int = 0
    cool_down: CoolDown | None = None
    history: list[dict[str, Any]] = field(default_factory=list)


class Hogwild:
    """One training of one learner.

    Args:
        learner: what learns.
        config: for how long, with how many threads.
        context: where records and checkpoints go; its budget is for compiling and saving too.
        changed: is called when the weights were replaced by earlier ones, for those with copies.
    """

    def __init__(
        self,
        learner: SliceLearner,
        config: DescentConfig,
        context: RunContext,
        changed: Callable[[], object] = int,
    ) -> None:
        self.learner = learner
        self.config = config
        self.context = context
        self.changed = changed
        self.kept = BestWeights(learner.arrays)
        self._watches = self._keeps = False  # the held-out loss; the weights where it is lowest
        self._measured: tuple[int, float | None] = (-1, None)  # step and held-out loss
        self._measuring = 0.0  # seconds that it took
        self.round_slices = ROUND_SLICES
        self.log, self.checkpoints = context.log, context.checkpoints
        self.schedule = LinearDecay(config, learner.alpha, learner.slices)
        self.state = HogwildState()
        self._clock = context.clock
        self._began = self._saved = self._clock()
        self._saved_step = -1  # of the newest checkpoint
        if config.patience is not None and self._held_out_loss() is None:
            raise SettingError(
                f"patience = {config.patience} needs held-out text to be lost over; "
                "set data.valid_rate above 0, or give more text."
            )

    def resume(self) -> bool:
        """Go back to the newest checkpoint; False if there is none."""
        found = self.context.newest_checkpoint(HogwildState)
        if found is None:
            return False
        copy_arrays(self.learner.arrays(), found.arrays)
        self.kept.load(found.arrays)
        self.state = found.state
        self.schedule.cool_down = self.state.cool_down
        self._saved_step = self.state.step
        return True

    def run(self) -> HogwildState:
        """Learn until the epochs or the budget are used up, or the held-out loss falls no more.

        Raises:
            Interrupted: a signal asked for it; a checkpoint is saved if the context keeps them.
            DivergedError: the loss is no longer a number, or weights are not.
        """
        self.learner.compile()
        wanted = self.config.ends_at_best and self._held_out_loss() is not None
        self._keeps = wanted and self.kept.fits(self.context.note)
        self._watches = self._keeps or (wanted and self.config.patience is not None)
        if self.checkpoints is not None:
            self.checkpoints.reserve(self._arrays_to_save())
        if self.context.budget is not None:
            limit = self._seconds_for_learning(self.context.budget)
            self.schedule = LinearDecay(self.config, self.learner.alpha, self.learner.slices, limit)
            self.schedule.cool_down = self.state.cool_down
        self._began = self._clock() - self.state.seconds
        done = self._done()
        bar = Progress(
            self.context.title,
            self.schedule.total,
            self.schedule.unit,
            initial=done,
            quiet=self.context.quiet,
        )
        safe = self.context.saved_at_failure(partial(self._save, last=True))
        with Interruption() as stop, Threads(self.config.threads) as pool, bar, safe:
            while not self._finished():
                self._round(pool)
                with bar.paused():
                    self._measure()
                bar.advance(self._done() - bar.done, **self._figures())
                if stop.requested:
                    self._stop(stop.requested)
                if self._clock() - self._saved >= self.config.checkpoint_seconds:
                    with bar.paused():
                        self._save()
        self.state.seconds = self._seconds()
        self._save(last=True)  # whatever happens to the result, nothing is learned twice
        self._record()
        self._take_best()
        self._refuse_divergence()
        return self.state

    def _seconds_for_learning(self, budget: Budget) -> float:
        """Return what is left of the budget for learning, less the last record and saving."""
        self._held_out_loss()  # to see how long it takes
        saving = (NUM_SAVINGS - 1) * saving_seconds(self.learner.arrays())
        saving = saving + saving_seconds(self._arrays_to_save()) if self.checkpoints else 0.0
        return max(budget.left - self._measuring - saving, LEAST_RATE * budget.seconds)

    @property
    def _patience(self) -> int:
        return self.config.patience or STALE_EPOCHS

    def _arrays_to_save(self) -> dict[str, np.ndarray]:
        """Arrays of the sizes that a checkpoint will have."""
        return self.learner.arrays() | (self.kept.room() if self._keeps else {})

    def _finished(self) -> bool:
        if self.state.step == 0 and self.schedule.num_steps > 0:
            return False  # however short the time is, something is learned
        is_cooling = self.state.cool_down is not None  # the rate is to reach its end
        if self._watches and not is_cooling and self.state.stale_epochs >= self._patience:
            return True
        return self.schedule.finished(self.state.step, self._seconds())

    def _round(self, pool: Threads) -> None:
        """Deal a few slices to each worker and wait for all, so that the state is one."""
        state, workers = self.state, self.config.threads
        last = min(state.step + self.round_slices * workers, self.schedule.next_stop(state.step))
        steps = _Steps(state.step, last, lambda: self.schedule.is_over(self._seconds()))
        if workers == 1:
            results = [self._work(steps, 0)]
        else:
            results = list(pool.map(lambda worker: self._work(steps, worker), range(workers)))
        state.step = steps.next
        state.loss += sum(result.loss for result in results)
        state.predictions += sum(result.predictions for result in results)
        state.words += sum(result.words for result in results)
        state.seconds = self._seconds()

    def _measure(self) -> None:
        """Judge an epoch that has ended, and make a record where one is due."""
        if self.state.step % len(self.learner.slices) == 0:
            self._judge_epoch()
        if self.state.step % self.schedule.record_every == 0:
            self._record()

    def _work(self, steps: _Steps, worker: int) -> Learned:
        results = [Learned(0.0, 0, 0)]
        while (step := steps.take()) is not None:
            rates = self.schedule.rates(step, self._seconds())
            seed = step_seed(self.config.seed, step)
            slice_index = step % len(self.learner.slices)
            results.append(self.learner.learn(slice_index, worker, rates, seed))
        return Learned.summed(results)

    def _seconds(self) -> float:
        return self._clock() - self._began

    def _done(self) -> float:
        if self.schedule.unit == "seconds":
            return min(self.state.seconds, self.schedule.total)
        return self.state.words

    def _figures(self) -> dict[str, float]:
        return {"loss": self.state.history[-1]["loss"]} if self.state.history else {}

    def _record(self) -> None:
        """Add a line to the history and the log; none when nothing was counted since the last."""
        state = self.state
        if state.predictions == 0:
            return
        last = state.history[-1] if state.history else {"words": 0, "time": 0.0}
        words, seconds = state.words - last["words"], state.seconds - last["time"]
        record: dict[str, Any] = {
            "time": round(state.seconds, 3),
            "epoch": round(self.schedule.epoch(state.step), 4),
            "words": state.words,
            "words_per_second": round(words / max(seconds, 1e-3)),
            "learning_rate": self.schedule.rates(state.step, state.seconds)[0],
            "loss": state.loss / state.predictions,
            "valid_loss": self._held_out_loss(),
        }
        for name in ("loss", "valid_loss"):
            refuse_loss(record[name], self._progressed, self._rate)
        if (cool_down := state.cool_down) is not None:
            record["cooled_epoch"] = round(self.schedule.epoch(cool_down.first), 4)
        state.history.append(record)
        state.records, state.loss, state.predictions = state.records + 1, 0.0, 0
        if self.log is not None:
            self.log.append(record)

    @property
    def _progressed(self) -> str:
        return f"{self.state.words:,} words"

    @property
    def _rate(self) -> str:
        """The setting of the learning rate with its value."""
        return f"{self.config.rate_name} = {self.schedule.alpha}"

    def _held_out_loss(self) -> float | None:
        """The held-out loss of the weights as they are, measured once a step."""
        if self._measured[0] != self.state.step:
            began = self._clock()
            self._measured = self.state.step, self.learner.held_out_loss()
            self._measuring = self._clock() - began
        return self._measured[1]

    def _judge_epoch(self) -> None:
        """Keep the weights of a lower held-out loss; count the epochs in a row without one."""
        if self._watches and not self._is_better():
            self.state.stale_epochs += 1
            is_first = self.config.budget_seconds is not None and self.state.cool_down is None
            can_cool = self._keeps and is_first
            if can_cool and self.state.stale_epochs >= self._patience:
                self._cool_down()

    def _is_better(self) -> bool:
        """Whether the weights are the best so far; they are kept then."""
        state, loss = self.state, self._held_out_loss()
        if loss is None or not (state.best is None or loss < state.best):
            return False
        rate = self.schedule.rates(state.step, state.seconds)[0]
        state.best, state.best_step, state.best_rate = loss, state.step, rate
        state.stale_epochs = 0
        if self._keeps:
            self.kept.keep()
        return True

    def _cool_down(self) -> None:
        """Go back to the best weights, and on from there with a rate that falls to its end.

        The budget had meant the rate to stay high; it takes as many epochs as there were before.
        """
        state = self.state
        self._go_back()
        last = state.step + max(state.best_step, len(self.learner.slices))
        state.cool_down = CoolDown(state.step, last, state.best_rate, state.seconds)
        self.schedule.cool_down = state.cool_down
        state.stale_epochs = 0

    def _go_back(self) -> None:
        self.kept.restore()
        self._measured = self.state.step, self.state.best
        self.changed()

    def _take_best(self) -> None:
        """End with the best weights; the last record is theirs."""
        state = self.state
        if not self._keeps or state.best is None or self._is_better():
            return
        if state.best_step != state.step:
            self._go_back()
            epoch = round(self.schedule.epoch(state.best_step), 4)
            record = {**state.history[-1], "valid_loss": state.best, "kept_epoch": epoch}
            state.history.append(record)
            if self.log is not None:
                self.log.append(record)

    def _save(self, *, last: bool = False) -> None:
        step = self.state.step
        if self.checkpoints is not None and step != self._saved_step:
            self._refuse_divergence()
            arrays = self.learner.arrays() | self.kept.saved()
            self.checkpoints.save(step, arrays, self.state, last=last)
            self._saved, self._saved_step = self._clock(), step

    def _refuse_divergence(self) -> None:
        weights = self.learner.arrays().values()
        refuse_divergence(weights, self._progressed, self._rate)

    def _stop(self, signal_name: str) -> None:
        self._save()
        raise self.context.interrupted(signal_name)


class _Steps:
    """The steps of one round, which several threads take until the time is over."""

    def __init__(self, first: int, last: int, is_over: Callable[[], bool]) -> None:
        self.next = first
        self._first, self._last, self._is_over = first, last, is_over
        self._lock = Lock()

    def take(self) -> int | None:
        """Return the next step, or None when there is none; the first one is always there."""
        with self._lock:
            step = self.next
            if step == self._last or (step > self._first and self._is_over()):
                return None
            self.next += 1
            return step


def train_hogwild(
    learner: SliceLearner, config: DescentConfig, context: RunContext
) -> list[dict[str, Any]]:
    """Train a learner to its end, from its newest checkpoint where that is asked for."""
    training = Hogwild(learner, config, context)
    if context.resume:
        training.resume()
    return training.run().history
