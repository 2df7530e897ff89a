"""The one loop: every network of foretext is trained here, and no other place steps an optimizer.

A step is a pure function of the weights, the optimizer's state, the state that rows carry over, the
generator's state and its own number. A checkpoint holds all of these, so that a training that was
killed ends, on one process, in the same bits as one that was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from foretext.base.errors import OutputError, SettingError
from foretext.base.interruption import Interruption
from foretext.base.runtime import keep_freed_memory, num_local_processes
from foretext.data.examples import Examples
from foretext.nn.device import Pace, choose_device
from foretext.progress import Progress
from foretext.progress.run_context import RunContext
from foretext.training.activations import ActivationForecast
from foretext.training.batches import Batches, Part
from foretext.training.checkpoints import Saver
from foretext.training.flops import (
    ModelFlops,
    WorkCounter,
    advised_on_memory,
    peak_flops,
    refuse_large_weights,
)
from foretext.training.frozen_states import FrozenStates
from foretext.training.gradients import Gradients
from foretext.training.model import Model, training_dtype
from foretext.training.optimizer import Optimizer, is_fully_sharded
from foretext.training.processes import Processes, told_of_lost_processes
from foretext.training.progression import Progression
from foretext.training.records import Records
from foretext.training.schedule import Forecast, Schedule
from foretext.training.settings import TrainingConfig
from foretext.training.state import TrainingState
from foretext.training.validation import HeldOut, Validation

__all__ = ["Training", "fit"]


def fit(
    model: Model,
    examples: Examples,
    config: TrainingConfig,
    context: RunContext,
    validation: Validation | None = None,
) -> list[dict[str, Any]]:
    """Train a model in place; returns the records of the training, the last one with final figures.

    Raises:
        DivergedError: the loss is no longer a number.
        SettingError: a setting does not fit.
        Interrupted: a signal stopped it; a checkpoint is saved if the context keeps them.
    """
    training = Training(model, examples, config, context, validation)
    if context.resume:
        training.resume()
    return training.run()


class Training:
    """One training of one model.

    Args:
        model: what is trained.
        examples: what it learns from.
        config: the user's settings.
        context: where records and checkpoints go.
        validation: measures the model now and then, or None.
        alone: whether only this process trains, although torchrun started several.
    """

    def __init__(
        self,
        model: Model,
        examples: Examples,
        config: TrainingConfig,
        context: RunContext,
        validation: Validation | None = None,
        *,
        alone: bool = False,
    ) -> None:
        if validation is None and (config.patience is not None or config.keep == "best"):
            raise SettingError(
                "[training] patience and keep = 'best' need held-out examples; set valid_rate "
                "above 0, or give a validation file."
            )
        self.config, self.context = config, context
        self.device = choose_device(config.device)
        self.processes = Processes(self.device, alone=alone)
        torch.manual_seed(config.seed)
        is_full = is_fully_sharded(config, self.processes)
        if is_full and validation is not None and validation.reads_whole_weights:
            raise SettingError(
                "[training] sharding = 'full': this validation reads whole weights, which no "
                "process has; use 'optimizer'."
            )
        if not is_full:  # no device is to hold all of it
            model = model.to(self.device)
        if config.gradient_checkpointing:
            model.backbone.recompute_layers()
        if config.sharding == "none":
            refuse_large_weights(model, self.device, num_local_processes())
        dtype = training_dtype(model, config.precision, self.device)
        self.optimizer = Optimizer(model, config, dtype, self.processes)
        self.model = self.optimizer.network
        model, continues = self.model, model.objective.carries_state
        self.batches = Batches(
            examples,
            config.batch_examples,
            config.seed,
            continues=continues,
            batch_tokens=config.batch_tokens,
            share_of=range if model.objective.compares_examples else self.processes.share_of,
        )
        self.schedule = Schedule(config, self.batches.per_epoch, self._limit())
        self.progression = Progression(model, config, self.schedule, self.optimizer)
        self.forecast = Forecast(self.batches.per_epoch)
        self.activations = ActivationForecast(model, config, dtype, self.device)
        self.flops = ModelFlops(model)
        room = 0.0 if config.compile or is_full else config.frozen_states_gb * 1e9
        self.frozen = FrozenStates(model, self.batches, room)
        self.work = WorkCounter(model, self.flops, self.frozen, self.processes)
        self.peak = self._peak(dtype)
        self.records = Records(
            self.schedule,
            context,
            self.processes,
            self.peak,
            divisors=model.objective.divisors,
            validates=validation is not None,
        )
        self.gradients = Gradients(
            self.model, config, self.processes, self.frozen, self.optimizer.gather
        )
        self.lanes = self.gradients.lanes
        self.saver = Saver(
            context.checkpoints, config, self.processes, self.optimizer, self.lanes, self.records
        )
        self.state = TrainingState(drawing=examples.drawing)
        self.held_out = HeldOut(self.model, validation, self.schedule, self._clock, context.note)
        self._began = context.clock()
        self._step_seconds = 0.0  # of the newest step
        self._norm: float | Tensor = 0.0  # of its gradient
        self._pace = Pace(self.device)

    def _limit(self) -> float | None:
        """The seconds that the command gives it, as the first process says; None: it says none."""
        budget = self.context.budget
        left = self.processes.clock(math.inf if budget is None else budget.left)
        return None if math.isinf(left) else max(left, 1e-3)

    def _peak(self, dtype: torch.dtype) -> float | None:
        """What all devices can do in a second, where that is counted and kept."""
        if not self.flops.holds or self.context.log is None:
            return None
        return self.processes.size * peak_flops(self.device, dtype, torch.get_num_threads())

    def resume(self) -> bool:
        """Go back to the newest checkpoint; False: there is none, and the training starts over.

        Raises:
            OutputError: all checkpoints are damaged, or of a training that went in another way.
        """
        found = self.saver.restore()
        if found is not None and found.drawing != self.state.drawing:
            raise OutputError(
                f"{self.context.folder} was begun by a version of foretext that draws other "
                "batches than this one; finish it with that version, or start it again with "
                "--overwrite."
            )
        self.state = found or self.state
        self._norm = self.state.gradient_norm
        if self.context.log is not None:
            self.context.log.restore(self.state.history)
        self.held_out.rewind(self.state)
        return found is not None

    def run(self) -> list[dict[str, Any]]:
        """Train until the schedule or the patience is at its end."""
        state, schedule = self.state, self.schedule
        self._began = self.context.clock() - state.seconds
        self.saver.reserve()
        self.held_out.choose_sample(state)
        schedule.keep_free(self.processes.clock(self.saver.last_seconds))
        done = schedule.done(state.step, state.seconds)
        bar = Progress(
            self.context.title,
            schedule.total,
            schedule.unit,
            initial=done,
            quiet=self.context.quiet,
        )
        batches = self.batches.ahead(state.step)
        keep_freed_memory()
        self.model.train()
        with (
            told_of_lost_processes(self.processes),
            Interruption() as stop,
            bar,
            self.saver.guard(state),
        ):
            if self.held_out.due(state) and not self.held_out.is_measured(state):
                self._validate()  # a full disk had prevented it
            while not self._finished():
                self._learn(batches)
                self._warn()
                self.context.tick()
                if self.held_out.due(state):
                    with bar.paused():
                        self._validate()
                elif self.records.due(state):
                    self._record({})
                bar.total = schedule.total
                bar.advance(schedule.done(state.step, state.seconds) - bar.done, **self._shown())
                if self.processes.agree(stop.requested is not None):
                    self._stop(stop.requested or "A signal")
                if state.seconds - self.saver.seconds >= self.config.checkpoint_seconds:
                    with bar.paused():
                        self._save()
        batches.close()  # type: ignore[attr-defined]
        self._save(last=True)  # the training is kept, whatever happens to its results
        self._end()
        return state.history

    def _clock(self) -> float:
        """The seconds of the training now, the same in all processes."""
        return self.processes.clock(self.context.clock() - self._began)

    def _finished(self) -> bool:
        if not self.state.step:
            return False  # however short the time is
        patience = self.config.patience
        if patience is not None and self.state.stale >= patience:
            return True
        # A step that would end later than half of it before the end is one too many.
        seconds = self.state.seconds + self._step_seconds / 2
        return self.schedule.finished(self.state.step, seconds)

    def _warn(self) -> None:
        """Warn, after the first steps, of a budget that is too short."""
        schedule, state = self.schedule, self.state
        if schedule.budget is None:
            return
        total = schedule.total
        if said := self.forecast.add(state.step, self._step_seconds, total - state.seconds, total):
            self.context.warn(said)

    def _foretell(self, flops: int) -> None:
        """Warn, before the first step, of a budget that is far too short."""
        if self.state.step or self.schedule.budget is None:
            return
        if said := self.forecast.before(flops, self.peak, self.schedule.total):
            self.context.warn(said)

    def _learn(self, batches: Iterator[Part]) -> None:
        """Take one step, and the time of it and of its batch."""
        began = self.context.clock()
        with advised_on_memory(self.config, self.processes.size, learned=self.state.step > 0):
            self.progression.use_layers(self.state)
            self.flops.use_layers(self.state.num_layers)
            part = self.progression.rows(next(batches), self.state)
            if said := self.activations.add(part.batch):
                self.context.warn(said)
            self._step(part)
        if self.state.step == 1 and self.lanes.states:
            self.saver.reserve()  # the lanes need room, too
        took = self.context.clock() - began
        self._step_seconds = self.processes.clock(took) if self.schedule.is_limited else took
        self.state.learning += took

    def _step(self, part: Part) -> None:
        """One update of the weights by one batch."""
        state = self.state
        counts, work = self.work.of(part)
        self._foretell(work.flops)
        divisors = self.model.objective.divisors(counts)
        self.records.tally.count(counts)
        self.gradients.add(part, divisors, self.records.tally)
        rate = self.schedule.learning_rate(state.step, state.seconds)
        self._norm = self.optimizer.step(rate)
        state.step += 1
        state.tokens += work.tokens
        state.flops += work.flops
        self._pace.wait()
        state.seconds = self._clock()

    def _validate(self) -> None:
        """Measure the model, remember it where it is the best, and record all figures."""
        figures, is_best = self.held_out.measure(self.state)
        if is_best and self.config.keep == "best":
            self.optimizer.keep_weights()
        self._record(figures)

    def _record(self, figures: Mapping[str, float]) -> None:
        """Add a record of the newest step; it is computed when this returns."""
        self.state.gradient_norm = float(self._norm)
        self.records.add(self.state, figures)

    def _save(self, *, last: bool = False) -> None:
        self.state.gradient_norm = float(self._norm)
        self.saver.save(self.state, last=last)

    def _shown(self) -> dict[str, float]:
        """Figures beside the bar."""
        if not self.state.history:
            return {}
        last = self.state.history[-1]
        return {"loss": last["loss"], "tokens_a_second": last["tokens_per_second"]}

    def _end(self) -> None:
        """Measure the final weights, unless the last step was measured; take the best ones back."""
        self.progression.end(self.state)
        history = self.state.history
        validates = self.held_out.validation is not None
        if validates and not self.held_out.is_measured(self.state):
            self._validate()
        elif not validates and (not history or history[-1]["step"] != self.state.step):
            self._record({})
        if self.config.keep == "best":
            self.optimizer.restore_weights()
        self.optimizer.release()
        self.records.close()
        self.model.eval()

    def _stop(self, signal_name: str) -> None:
        self._save()
        raise self.context.interrupted(signal_name)
