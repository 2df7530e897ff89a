"""The checkpoints of a training: what they hold, when there is room for them, how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch

from foretext.base.errors import OutputError
from foretext.progress.checkpoint import (
    BYTES_A_SECOND,
    Checkpoint,
    Checkpoints,
    check_arrays,
    kept_by,
)
from foretext.training.batches import Lanes
from foretext.training.optimizer import Optimizer
from foretext.training.processes import Processes
from foretext.training.records import Records
from foretext.training.settings import TrainingConfig
from foretext.training.state import TrainingState

__all__ = ["Saver", "generator_states", "set_generators"]

BEST = "best."  # what the names of the best weights begin with


class Saver:
    """Saves weights, optimizer, lanes, generators and numbers; every process calls each verb.

    Args:
        checkpoints: where they go; None: none is kept.
        config: how many are kept, and whether the best weights are among them.
        processes: the first one writes.
        optimizer: of the training.
        lanes: of the training.
        records: of the training; they begin with the losses that no record has shown yet.
    """

    def __init__(
        self,
        checkpoints: Checkpoints | None,
        config: TrainingConfig,
        processes: Processes,
        optimizer: Optimizer,
        lanes: Lanes,
        records: Records,
    ) -> None:
        self.checkpoints, self.config, self.processes = checkpoints, config, processes
        self.optimizer, self.lanes, self.records = optimizer, lanes, records
        self.seconds = 0.0  # of the training, at the newest checkpoint
        self.last_seconds = 0.0  # that the last checkpoint will take, about
        self._step = -1

    def restore(self) -> TrainingState | None:
        """Go back to the newest checkpoint; None: there is none.

        Raises:
            OutputError: all are damaged, or belong to a training with other settings.
        """
        found: Checkpoint | None = None
        if self.checkpoints is not None:
            found = self.checkpoints.newest(TrainingState)
        if found is None:
            return None
        state: TrainingState = found.state
        check_arrays(self._arrays(with_best=_has_best(found.arrays)), found.arrays)
        self.optimizer.load_arrays(found.arrays)
        self.records.tally.load_state(state.tally, share=self.processes.is_first)
        self.lanes.load(found.arrays, self.processes.device)
        set_generators(found.arrays)
        self.seconds, self._step = state.seconds, state.step
        return state

    def reserve(self) -> None:
        """Reserve room on the disk for the last checkpoint."""
        if self.checkpoints is None:
            return
        arrays = self._arrays(with_best=self.config.keep == "best")
        num_bytes = sum(array.nbytes for array in arrays.values())
        self.last_seconds = num_bytes / BYTES_A_SECOND
        if self.processes.is_first:
            self.checkpoints.reserve(arrays)

    def save(self, state: TrainingState, *, last: bool = False) -> None:
        """Write a checkpoint, unless the newest one is of this step."""
        if self.checkpoints is None or state.step == self._step:
            return
        state.tally = self.records.tally.total(self.processes).state()
        arrays = self.optimizer.arrays()  # sharded tensors come from every process
        if self.processes.is_first:
            arrays |= self.lanes.arrays() | generator_states()
            kept = self.config.checkpoints_kept
            self.checkpoints.save(state.step, arrays, state, kept=kept, last=last)
        self.seconds, self._step = state.seconds, state.step

    def guard(self, state: TrainingState) -> AbstractContextManager[None]:
        """Save before a file that cannot be written ends the training.

        Of several processes only one would know, so that there nothing is saved.
        """
        if self.checkpoints is None or self.processes.size > 1:
            return nullcontext()
        return kept_by(lambda: self.save(state, last=True))

    def _arrays(self, *, with_best: bool) -> dict[str, np.ndarray]:
        """Return arrays with the names, shapes and types of what a checkpoint will hold."""
        arrays = self.optimizer.arrays()
        if with_best:
            weights = [name for name in arrays if name.startswith("weight.")]
            best = {f"{BEST}{name.removeprefix('weight.')}": arrays[name] for name in weights}
            arrays = {**best, **arrays}
        return {**arrays, **self.lanes.arrays()}


def _has_best(arrays: Mapping[str, np.ndarray]) -> bool:
    return any(name.startswith(BEST) for name in arrays)


def generator_states() -> dict[str, Any]:
    """Return them as arrays, by name."""
    states = {"generator.cpu": torch.get_rng_state().numpy()}
    if torch.cuda.is_available():
        states["generator.cuda"] = torch.cuda.get_rng_state().numpy()
    return states


def set_generators(states: Mapping[str, Any]) -> None:
    """Go back to the states that `generator_states` gave; other names are passed over.

    Raises:
        OutputError: the states are none that a generator can have.
    """
    try:
        torch.set_rng_state(torch.from_numpy(states["generator.cpu"]))
        if "generator.cuda" in states and torch.cuda.is_available():
            torch.cuda.set_rng_state(torch.from_numpy(states["generator.cuda"]))
    except (KeyError, RuntimeError, TypeError) as error:
        raise OutputError(
            f"The checkpoint's generators cannot be restored ({error}); start the run again with "
            "--overwrite."
        ) from error
