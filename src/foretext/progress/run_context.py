"""What a run gives to a training: its folder, its log, its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from foretext.progress import MetricsLog
from foretext.progress.budget import Budget, Clock
from foretext.progress.checkpoint import Checkpoints
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
