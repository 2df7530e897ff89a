"""One fine-tuning: its recipe, the folder that it works in, and what it results in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from foretext.corpus.sources import find_sources
from foretext.finetuning.recipe import Sections, TaskRecipe
from foretext.messages import ended, message
from foretext.pretraining.job import Job
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.predictor import Predictor

__all__ = ["FinetuneJob", "Finetuned"]

BASES = "bases"  # among the checkpoints


@dataclass(frozen=True, kw_only=True)
class FinetuneJob(Job):
    """One run of a recipe."""

    recipe: TaskRecipe
    rows_are_checked: bool = False  # whether the user knows already what is wrong with the rows
    given: TaskRecipe | None = None  # of the user, where `recipe` was chosen for it; None: `recipe`
    bases: Path | None = None  # folder of a pretraining that several runs share; None: none
    warnings: list[str] = field(default_factory=list)  # what `warn` said, for the facts

    @property
    def kept_recipe(self) -> TaskRecipe:
        """What repeats the run."""
        return self.given or self.recipe

    @property
    def pretrained(self) -> Path:
        """The folder of what is pretrained for the task; a relative one is in that of the run."""
        return self.run.checkpoints / BASES if self.bases is None else self.run.path / self.bases

    @property
    def budget(self) -> Budget | None:
        """The time of the whole command, with that of a search; None: as long as it takes."""
        seconds = self.recipe.budget_seconds
        if seconds is None:
            return None
        return Budget(seconds + (self.recipe.search_seconds or 0.0), self.began)

    @property
    def time_to_learn(self) -> Budget | None:
        """What is left of that time, less a search's; None: as long as it takes."""
        budget, searching = self.budget, self.recipe.search_seconds or 0.0
        if budget is None:
            return None
        return Budget.started(max(budget.left - searching, 1e-3), clock=budget.clock)

    def warn(self, sentence: str) -> None:
        """Note what a person should change, and keep it for the facts of the run."""
        self.warnings.append(ended(f"{sentence[0].upper()}{sentence[1:]}"))
        self.note(sentence)

    def content(self) -> str:
        """Return a digest that tells whether the files have changed; streams are left out."""
        recipe = self.recipe
        given = (recipe.train, recipe.valid, recipe.unlabelled)
        files = [path for path in given if path is not None]
        found = [source for path in files for source in find_sources(path)]
        known = [source.identity for source in found if source.size is not None]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()[:32]

    def metrics_of(self, seed: int) -> Path:
        """Return the file of the records of a seed, counted from 0."""
        path = self.run.metrics
        return path if seed == 0 else path.with_name(f"{path.stem}-seed-{seed + 1}{path.suffix}")

    @contextmanager
    def seed_context(
        self, seed: int, *, num_seeds: int, budget: Budget | None = None
    ) -> Iterator[RunContext]:
        """Open what the training of a seed writes to, with the time that it may take."""
        title = task = self.recipe.task
        if num_seeds > 1:
            title = message("progress.seed", task=task, seed=seed + 1)
        folder = self.run.checkpoints / f"seed-{seed + 1}"
        metrics = self.metrics_of(seed)
        with self.context(title, metrics=metrics, checkpoints=folder) as context:
            yield replace(context, warn=self.warn, budget=budget)


@dataclass(frozen=True)
class Finetuned:
    """What one run gave."""

    model: Predictor
    sections: Sections  # of the resolved recipe
    facts: dict[str, Any]  # of config.json
    card: str
