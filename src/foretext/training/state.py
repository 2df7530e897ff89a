"""The progress of a training, as numbers; all of it is in a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["TrainingState"]


@dataclass
class TrainingState:
    """Numbers that change from step to step."""

    drawing: int = 1  # the way in which batches are drawn; `Examples.drawing`
    step: int = 0  # steps that are done
    num_layers: int = 0  # that the newest step computed; 0: all, or there was no step
    tokens: int = 0  # that were read, padding not counted
    flops: int = 0  # floating-point operations of the model; 0 where they are not counted
    seconds: float = 0.0  # of the whole training, over all resumes
    learning: float = 0.0  # of these, what the steps since the newest record took
    validated: float = 0.0  # what was done at the last held-out loss, in the schedule's unit
    sample: int = 0  # held-out examples that are measured where time is limited; 0: not chosen yet
    measuring: float = 0.0  # seconds that the newest measurement took
    gradient_norm: float = 0.0  # of the newest step, before clipping
    best: float | None = None  # of what the validation judges by
    stale: int = 0  # validations in a row without a better one
    history: list[dict[str, Any]] = field(default_factory=list)  # the records of metrics.jsonl
    tally: dict[str, dict[str, float]] = field(default_factory=dict)  # sums since the last record
