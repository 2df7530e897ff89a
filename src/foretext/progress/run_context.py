"""What a run gives to a training: its folder, its log, its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.base.errors import Interrupted
from foretext.messages import message
from foretext.progress import MetricsLog
from foretext.progress.budget import Budget, Clock
from foretext.progress.checkpoint import Checkpoint, Checkpoints, kept_by
from foretext.shards import ShardEngine

__all__ = ["RunContext"]


@dataclass(frozen=True)
class RunContext:
    """Where a training writes, whether it resumes, and whether it shows its progress."""

    folder: Path  # for what is worth keeping beside the vectors
    title: str = "training"
    valid_rate: float = 0.0  # to hold out of what a component makes of the text, such as cells
    log: MetricsLog | None = None
    checkpoints: Checkpoints | None = None  # None: nothing to resume from is kept
    resume: bool = False
    quiet: bool = True
    note: Callable[[str], object] = str  # is called with what a person may want to know
    warn: Callable[[str], object] = str  # is called with what a person should change
    tick: Callable[[], object] = int  # is called after each step
    budget: Budget | None = None  # of this training at most; None: as its settings say
    engine: ShardEngine | None = None  # who works on the text, and where; None: threads do
    clock: Clock = time.monotonic

    def newest_checkpoint(self, kind: type[Any]) -> Checkpoint | None:
        """Return the checkpoint to go on from, and set the log back to it; None: there is none.

        Args:
            kind: dataclass of its state, which has the records of the log as `history`.

        Raises:
            OutputError: there are checkpoints, and all are damaged.
        """
        found = self.checkpoints.newest(kind) if self.checkpoints else None
        if self.log is not None:
            self.log.restore(found.state.history if found else [])
        return found

    def saved_at_failure(self, save: Callable[[], None]) -> AbstractContextManager[None]:
        """Keep what was learned where a record cannot be written; `save` writes a checkpoint."""
        return nullcontext() if self.checkpoints is None else kept_by(save)

    def interrupted(self, signal_name: str) -> Interrupted:
        """Return what to raise where a signal ends the training, once it is saved."""
        kept = (
            message("notes.stopped.resume")
            if self.checkpoints
            else message("notes.stopped.nothing")
        )
        return Interrupted(message("notes.stopped.training", signal=signal_name, kept=kept))
