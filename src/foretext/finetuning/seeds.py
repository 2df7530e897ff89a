"""The trainings of a run, one for each seed, and what the best model is compared with."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.base.counted import counted
from foretext.base.errors import OutputError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.finetuning.allotment import Allotment
from foretext.finetuning.learner import Found, Learner, Record
from foretext.finetuning.task_rows import TaskRows
from foretext.tasks.baseline import Baseline
from foretext.tasks.predictor import Predictor

__all__ = ["Outcome", "Trained", "best_of", "train_seeds"]

SEEDS = "seeds"  # folder of the models of finished seeds, among the checkpoints


@dataclass(frozen=True)
class Trained:
    """The model of one seed."""

    model: Predictor
    seed: int  # as the settings have it
    record: Record
    valid: Mapping[str, Any] | None  # its figures on the held-out rows

    @property
    def score(self) -> float:
        """By which the best one is chosen; higher is better."""
        return 0.0 if self.valid is None else float(self.valid[self.model.judged_by])


@dataclass(frozen=True)
class Outcome:
    """All that came of a run."""

    rows: TaskRows
    found: Found | None  # by a search for settings
    trained: Sequence[Trained]  # one a seed
    best: Trained
    baseline: Baseline | None
    examination: Mapping[str, Any] | None  # of the best one's answers; None: there were no rows
    untouched: Baseline | None = None  # the base as it was; None: it does not answer the rows


def train_seeds(learner: Learner, rows: TaskRows, allotment: Allotment | None) -> list[Trained]:
    """Train with one seed after another; under a budget all have the same time."""
    trained: list[Trained] = []
    before = 0.0  # seconds of trainings in earlier commands
    for seed in range(learner.finetuning.seeds):
        began = time.monotonic()
        trained.append(_train_seed(learner, rows, seed, allotment, before))
        here = time.monotonic() - began
        before += max(trained[-1].record["time"] - here, 0.0)
    return trained


def _train_seed(
    learner: Learner, rows: TaskRows, seed: int, allotment: Allotment | None, before: float
) -> Trained:
    """Train with one seed, unless an interrupted run has done so."""
    job, num_seeds = learner.job, learner.finetuning.seeds
    folder = job.run.checkpoints / SEEDS / str(seed + 1)
    kept = folder.with_suffix(".json")  # the record, which is written before the model
    record: Record
    if job.resume and (folder / "config.json").is_file() and kept.is_file():
        model = learner.predictor.load(folder)
        record = read_json(kept, OutputError, dict[str, Any])
    else:
        budget = None
        if allotment is not None:
            budget = allotment.training(num_seeds - seed, before, resumed=job.resume)
        with job.seed_context(seed, num_seeds=num_seeds, budget=budget) as context:
            model, record = learner.train(rows, seed, context)
        if num_seeds > 1:
            with atomic_file(kept) as temporary:
                temporary.write_text(json.dumps(dict(record)), encoding="utf-8", newline="\n")
            model.save(folder)
    own_seed = learner.seed_of(seed)
    job.run.note(f"seed {own_seed}: {counted(record['step'], 'step')} in {record['time']:.1f} s")
    valid = model.figures(rows.valid) if rows.valid else None
    return Trained(model, own_seed, record, valid)


def best_of(trained: Sequence[Trained]) -> Trained:
    """Return the one that is best on held-out rows, the first of equally good ones."""
    return max(trained, key=lambda each: each.score)
