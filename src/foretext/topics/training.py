"""The training of a topic model: a step a batch, with records, checkpoints and a resume.

Which documents a step has follows from its number, and no sum depends on the threads. So equal runs
end in the same bits, and so does a resumed one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from foretext.base.interruption import Interruption
from foretext.base.runtime import Threads
from foretext.progress import Progress
from foretext.progress.checkpoint import copy_arrays, saving_seconds
from foretext.progress.run_context import RunContext

if TYPE_CHECKING:
    from foretext.topics.lda import LDA

__all__ = ["OnlineTraining"]

RECORDS = 25  # lines of metrics in a training, about
LEAST_RATE = 0.1  # of a budget, to learn in
NUM_SAVINGS = 3  # of all parameters: last checkpoint, result, and the page reads it


@dataclass
class _State:
    """How far a training has come; a checkpoint keeps all of it."""

    step: int = 0
    words: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


class OnlineTraining:
    """One training.

    Args:
        model: what learns, in place.
        context: where records and checkpoints go; its budget is for saving too.
    """

    def __init__(self, model: LDA, context: RunContext) -> None:
        self.model, self.context, self.config = model, context, model.config
        self.state = _State()
        self.num_steps = self.config.epochs * model.num_batches
        self._clock = context.clock
        self._began = self._saved = self._clock()
        self._saved_step = -1  # of the newest checkpoint
        self._limit: float | None = None  # seconds

    def resume(self) -> None:
        """Go back to the newest checkpoint, or to the beginning when there is none."""
        found = self.context.newest_checkpoint(_State)
        if found is not None:
            copy_arrays(self._arrays, found.arrays)
            self.state, self._saved_step = found.state, found.state.step

    def run(self) -> list[dict[str, Any]]:
        """Learn until the epochs or the budget are used up; returns the records.

        Raises:
            Interrupted: a signal asked for it; a checkpoint is saved if the context keeps them.
            OutputError: a checkpoint or a record cannot be written.
        """
        if self.context.checkpoints is not None:
            self.context.checkpoints.reserve(self._arrays)
        self.model.compile()  # which is not taken for learning
        self._limit = self._seconds_for_learning()
        self._began = self._clock() - self.state.seconds
        safe = self.context.saved_at_failure(partial(self._save, last=True))
        with Interruption() as stop, Threads(self.config.workers) as pool:
            with self._progress() as bar, safe:
                while not self._finished():
                    self._step(pool)
                    bar.advance(self._done() - bar.done, **self._figures())
                    if stop.requested:
                        self._stop(stop.requested)
                    if self._clock() - self._saved >= self.config.checkpoint_seconds:
                        with bar.paused():
                            self._save()
            self._save(last=True)  # whatever happens to the result, nothing is learned twice
        return self.state.history

    def _step(self, pool: Threads) -> None:
        """Learn from one batch, and make a record where one is due, or this was the last."""
        state = self.state
        batch = self.model.batch(state.step)
        found = self.model.learn(batch, state.step + 1, pool)
        state.step += 1
        state.words += batch.num_words
        state.seconds = self._clock() - self._began
        if self._record_due() or self._finished():
            self._record(self.model.loss(batch, found), pool)

    def _record_due(self) -> bool:
        if self._limit is None:
            return self.state.step % max(self.num_steps // RECORDS, 1) == 0
        return self.state.seconds >= (len(self.state.history) + 1) * self._limit / RECORDS

    def _record(self, loss: float, pool: Threads) -> None:
        """Add a line to the history and the log."""
        state = self.state
        last = state.history[-1] if state.history else {"words": 0, "time": 0.0}
        words, seconds = state.words - last["words"], state.seconds - last["time"]
        record = {
            "time": round(state.seconds, 3),
            "epoch": round(state.step / self.model.num_batches, 4),
            "words": state.words,
            "words_per_second": round(words / max(seconds, 1e-3)),
            "learning_rate": self.model.rate(state.step),
            "loss": loss,
            "valid_loss": self.model.held_out_loss(pool),
        }
        state.history.append(record)
        if self.context.log is not None:
            self.context.log.append(record)

    @property
    def _arrays(self) -> dict[str, Any]:
        return {"parameters": self.model.words.parameters}

    def _seconds_for_learning(self) -> float | None:
        """Return the time limit; where a budget was given, what saving leaves of it."""
        chosen, budget = self.config.budget_seconds, self.context.budget
        if chosen is None or budget is None:
            return chosen
        saving = NUM_SAVINGS * saving_seconds(self._arrays)
        return min(chosen, max(budget.left - saving, LEAST_RATE * budget.seconds))

    def _finished(self) -> bool:
        if self._limit is None:
            return self.state.step >= self.num_steps
        return self.state.step > 0 and self.state.seconds >= self._limit

    def _done(self) -> float:
        """Documents or, under a budget, seconds."""
        if self._limit is not None:
            return min(self.state.seconds, self._limit)
        return self.state.step / self.model.num_batches * self.model.num_documents

    def _progress(self) -> Progress:
        documents = float(self.config.epochs * self.model.num_documents)
        total, unit = (documents, "documents") if self._limit is None else (self._limit, "seconds")
        return Progress(
            self.context.title, total, unit, initial=self._done(), quiet=self.context.quiet
        )

    def _figures(self) -> dict[str, float]:
        return {"loss": self.state.history[-1]["loss"]} if self.state.history else {}

    def _save(self, *, last: bool = False) -> None:
        step = self.state.step
        if self.context.checkpoints is not None and step != self._saved_step:
            self.context.checkpoints.save(step, self._arrays, self.state, last=last)
            self._saved, self._saved_step = self._clock(), step

    def _stop(self, signal_name: str) -> None:
        self._save()
        raise self.context.interrupted(signal_name)
