"""GloVe's training: rounds of tiles dealt to workers, with records, checkpoints and a resume.

A checkpoint is taken between two rounds, and everything random in a round follows from its number,
so that a resumed training ends in the same bits as an unbroken one, with any number of workers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from foretext.base.interruption import Interruption
from foretext.base.runtime import Threads
from foretext.kernels.glove import train_tiles
from foretext.progress import Progress
from foretext.progress.checkpoint import copy_arrays, saving_seconds
from foretext.progress.run_context import RunContext
from foretext.vectors.best_weights import STALE_EPOCHS, BestWeights
from foretext.vectors.divergence import refuse_divergence, refuse_loss
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.schedule import ProcessesConfig
from foretext.vectors.tiles import Tiles

__all__ = ["TileDescent"]

RECORDS = 50  # lines of metrics in a training, about
LEAST_RATE = 0.1  # of a budget, to learn in, however long it took to count
NUM_SAVINGS = 3  # of all weights after a training: last checkpoint, result, and the page reads it


@dataclass
class _State:
    """How far a training has come; a checkpoint keeps all of it."""

    step: int = 0  # rounds done
    cells: int = 0
    seconds: float = 0.0
    records: int = 0
    loss: float = 0.0  # summed since the last record
    loss_cells: int = 0  # that it is of
    best: float | None = None  # held-out loss at the end of an epoch
    best_step: int = 0  # after which it was measured
    stale_epochs: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


class TileDescent:
    """One training.

    Args:
        weights: what learns, in place.
        tiles: what it learns from.
        config: for how long, with how many threads.
        alpha: learning rate.
        context: where records and checkpoints go; its budget is for saving too.
    """

    def __init__(
        self,
        weights: GloveWeights,
        tiles: Tiles,
        config: ProcessesConfig,
        alpha: float,
        context: RunContext,
    ) -> None:
        self.weights = weights
        self.tiles = tiles
        self.config = config
        self.alpha = alpha
        self.context = context
        self.state = _State()
        self._measured: tuple[int, float] = (-1, 0.0)  # step and held-out loss
        self._losses = np.zeros(tiles.blocks**2)  # of each tile when it was last learned
        self._num_steps = config.epochs * tiles.blocks
        self._best = BestWeights(lambda: weights.arrays)
        is_held_out = config.budget_seconds is not None and len(tiles.held_out.rows) > 0
        # whether it watches that loss, and ends with the best weights
        self._watches = is_held_out and self._best.fits(context.note)
        self._budget = self._seconds_for_learning()
        self._clock = context.clock
        self._began = self._saved = self._clock()
        self._saved_step = -1  # of the newest checkpoint

    def resume(self) -> None:
        """Go back to the newest checkpoint, or to the beginning when there is none."""
        found = self.context.newest_checkpoint(_State)
        if found is None:
            return
        copy_arrays(self.weights.arrays, found.arrays)
        self._best.load(found.arrays)
        self.state = found.state
        self._saved_step = self.state.step

    def run(self) -> list[dict[str, Any]]:
        """Learn until the epochs or the budget are used up; a budget ends with the best weights.

        Raises:
            Interrupted: a signal asked for it; a checkpoint is saved if the context keeps them.
            DivergedError: the loss is no longer a number, or weights are not.
        """
        if self.context.checkpoints is not None:
            self.context.checkpoints.reserve(self._arrays_to_save())
        self._began = self._clock() - self.state.seconds
        safe = self.context.saved_at_failure(partial(self._save, last=True))
        with Interruption() as stop, self._learning() as learn:
            with self._progress() as bar, safe:
                while not self._finished():
                    self._rounds(learn)
                    if self._watches and self.state.step % self.tiles.blocks == 0:
                        self._judge_epoch()
                    if self._record_due():
                        with bar.paused():
                            self._record()
                    bar.advance(self._done() - bar.done, **self._figures())
                    if stop.requested:
                        self._stop(stop.requested)
                    if self._clock() - self._saved >= self.config.checkpoint_seconds:
                        with bar.paused():
                            self._save()
            self._save(last=True)  # whatever happens to the result, nothing is learned twice
            self._record()
            self._take_best()
        self._refuse_divergence()
        return self.state.history

    @contextmanager
    def _learning(self) -> Iterator[Callable[[list[np.ndarray]], object]]:
        """Yield what learns rounds of tiles: this thread, several, other processes, or nodes."""
        config, cluster = self.config, self._cluster
        if cluster is not None:
            from foretext.vectors.replicas.on_ray.tile_group import RayTileGroup
            from foretext.vectors.replicas.training import Attempts

            with RayTileGroup(
                self.weights,
                self.tiles,
                self._losses,
                address=cluster,
                processes=config.processes,
                threads=config.threads,
                rate=self.alpha,
            ) as group:
                by_all = Attempts(group.start, self.context)
                yield lambda rounds: by_all(lambda: group.learn(rounds))
            return
        if config.processes > 1:
            from foretext.vectors.replicas.tile_processes import TileProcesses

            with TileProcesses(
                self.weights,
                self.tiles,
                self._losses,
                processes=config.processes,
                threads=config.threads,
                rate=self.alpha,
                context=self.context,
            ) as processes:
                yield partial(_one_by_one, processes.learn)
            return
        with Threads(config.workers) as pool:
            alone = config.workers == 1
            yield partial(_one_by_one, self._learn if alone else partial(self._learn_apart, pool))

    @property
    def _cluster(self) -> str | None:
        """The address of the cluster whose nodes learn; None: this machine does."""
        engine = self.context.engine
        return None if engine is None or self.config.processes == 1 else engine.cluster

    def _rounds(self, learn: Callable[[list[np.ndarray]], object]) -> None:
        """Learn sets of tiles, each of which shares nothing, and wait for all of them."""
        state = self.state
        rounds = [self.tiles.round(state.step + number) for number in range(self._num_rounds())]
        learn(rounds)
        for tiles in rounds:
            state.step += 1
            state.cells += (size := self.tiles.sizes(tiles))
            state.loss += float(self._losses[tiles].sum())
            state.loss_cells += size
        state.seconds = self._clock() - self._began

    def _num_rounds(self) -> int:
        """Return how many rounds are learned before this process has all weights again.

        On a cluster they are collected for each record, and at the end of an epoch, when other
        blocks of contexts are needed; elsewhere it always has them.
        """
        if self._cluster is None:
            return 1
        step, budget = self.state.step, self._budget
        left = self.tiles.blocks - step % self.tiles.blocks  # of the epoch
        if budget is None:
            every = max(self._num_steps // RECORDS, 1)
            return min(every - step % every, left)
        until_record = (self.state.records + 1) * budget / RECORDS - self.state.seconds
        each = self.state.seconds / step if step else math.inf
        return min(max(int(until_record / each), 1), left)

    def _learn_apart(self, pool: Threads, tiles: np.ndarray) -> None:
        workers = self.config.workers
        shares = (np.ascontiguousarray(tiles[worker::workers]) for worker in range(workers))
        list(pool.map(self._learn, shares))

    def _learn(self, tiles: np.ndarray) -> None:
        train_tiles(
            self.tiles.cells, self.weights.parameters, tiles, np.float32(self.alpha), self._losses
        )

    def _seconds_for_learning(self) -> float | None:
        """Return the time limit; where a budget was given, what saving leaves of it."""
        chosen, budget = self.config.budget_seconds, self.context.budget
        if chosen is None or budget is None:
            return chosen
        saving = (NUM_SAVINGS - 1) * saving_seconds(self.weights.arrays)
        saving += saving_seconds(self._arrays_to_save())
        return min(chosen, max(budget.left - saving, LEAST_RATE * budget.seconds))

    def _finished(self) -> bool:
        budget = self._budget
        if budget is None:
            return self.state.step >= self._num_steps
        return self.state.stale_epochs >= STALE_EPOCHS or self._done() >= budget

    def _done(self) -> float:
        """Cells or, under a budget, seconds."""
        return self.state.cells if self._budget is None else self.state.seconds

    def _progress(self) -> Progress:
        budget = self._budget
        total = budget or float(self.config.epochs * self.tiles.num_cells)
        unit = "cells" if budget is None else "seconds"
        return Progress(
            self.context.title, total, unit, initial=self._done(), quiet=self.context.quiet
        )

    def _figures(self) -> dict[str, float]:
        return {"loss": self.state.history[-1]["loss"]} if self.state.history else {}

    def _record_due(self) -> bool:
        state, budget = self.state, self._budget
        if budget is None:
            return state.step % max(self._num_steps // RECORDS, 1) == 0
        return state.seconds >= (state.records + 1) * budget / RECORDS

    def _record(self) -> None:
        """Add a line to the history and the log; none when nothing was counted since the last."""
        state = self.state
        if state.loss_cells == 0:
            return
        last = state.history[-1] if state.history else {"cells": 0, "time": 0.0}
        cells, seconds = state.cells - last["cells"], state.seconds - last["time"]
        record = {
            "time": round(state.seconds, 3),
            "epoch": round(state.step / self.tiles.blocks, 4),
            "cells": state.cells,
            "cells_per_second": round(cells / max(seconds, 1e-3)),
            "learning_rate": self.alpha,
            "loss": state.loss / state.loss_cells,
            "valid_loss": self._held_out_loss() if len(self.tiles.held_out.rows) else None,
        }
        refuse_loss(state.loss, self._progressed, self._rate)
        state.history.append(record)
        state.records, state.loss, state.loss_cells = state.records + 1, 0.0, 0
        if self.context.log is not None:
            self.context.log.append(record)

    def _held_out_loss(self) -> float:
        """The loss of held-out cells by the weights as they are, measured once a step."""
        if self._measured[0] != self.state.step:
            self._measured = self.state.step, self.weights.loss(self.tiles.held_out)
        return self._measured[1]

    def _judge_epoch(self) -> None:
        """Keep the weights of a lower held-out loss; count the epochs in a row without one."""
        state, loss = self.state, self._held_out_loss()
        if state.best is not None and not loss < state.best:
            state.stale_epochs += 1
            return
        state.best, state.best_step, state.stale_epochs = loss, state.step, 0
        self._best.keep()

    def _take_best(self) -> None:
        """End with the best weights, where a budget is given; the last record is theirs."""
        state = self.state
        if state.best is None or self._held_out_loss() <= state.best:
            return
        self._best.restore()
        self._measured = state.step, state.best
        epoch = round(state.best_step / self.tiles.blocks, 4)
        state.history.append({**state.history[-1], "valid_loss": state.best, "kept_epoch": epoch})
        if self.context.log is not None:
            self.context.log.append(state.history[-1])

    def _arrays_to_save(self) -> dict[str, np.ndarray]:
        """Arrays of the sizes that a checkpoint will have."""
        return self.weights.arrays | (self._best.room() if self._watches else {})

    def _save(self, *, last: bool = False) -> None:
        step = self.state.step
        if self.context.checkpoints is not None and step != self._saved_step:
            self._refuse_divergence()
            arrays = self.weights.arrays | self._best.saved()
            self.context.checkpoints.save(step, arrays, self.state, last=last)
            self._saved, self._saved_step = self._clock(), step

    @property
    def _progressed(self) -> str:
        return f"{self.state.cells:,} cells"

    @property
    def _rate(self) -> str:
        """The setting of the learning rate with its value."""
        return f"alpha = {self.alpha}"

    def _refuse_divergence(self) -> None:
        refuse_divergence(self.weights.moving(), self._progressed, self._rate)

    def _stop(self, signal_name: str) -> None:
        self._save()
        raise self.context.interrupted(signal_name)


def _one_by_one(learn: Callable[[np.ndarray], object], rounds: list[np.ndarray]) -> None:
    """Learn rounds where all weights are in one memory."""
    for tiles in rounds:
        learn(tiles)
