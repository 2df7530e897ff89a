"""One fine-tuning: its recipe, the folder that it works in, and what it results in."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.classifiers.predictor import Predictor
from foretext.corpus.sources import find_sources
from foretext.finetuning.recipe import Sections, TaskRecipe
from foretext.pipeline.runs import Job
from foretext.progress.run_context import RunContext

__all__ = ["FinetuneJob", "Finetuned"]


@dataclass(frozen=True, kw_only=True)
class FinetuneJob(Job):
    """One run of a recipe."""

    recipe: TaskRecipe

    def content(self) -> str:
        """Return a digest that tells whether the files have changed; streams are left out."""
        files = [path for path in (self.recipe.train, self.recipe.valid) if path is not None]
        found = [source for path in files for source in find_sources(path)]
        known = [source.identity for source in found if source.size is not None]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()[:32]

    def metrics_of(self, seed: int) -> Path:
        """Return the file of the records of a seed, counted from 0."""
        path = self.run.metrics
        return path if seed == 0 else path.with_name(f"{path.stem}-seed-{seed + 1}{path.suffix}")

    def seed_context(self, seed: int, *, num_seeds: int) -> AbstractContextManager[RunContext]:
        """Open what the training of a seed writes to."""
        title = self.recipe.task if num_seeds == 1 else f"{self.recipe.task}, seed {seed + 1}"
        folder = self.run.checkpoints / f"seed-{seed + 1}"
        metrics = self.metrics_of(seed)
        return self.context(title, metrics=metrics, checkpoints=folder)


@dataclass(frozen=True)
class Finetuned:
    """What one run gave."""

    model: Predictor
    sections: Sections  # of the resolved recipe
    facts: dict[str, Any]  # of config.json
    card: str
