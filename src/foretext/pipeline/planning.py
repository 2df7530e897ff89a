"""A network's run planned before it begins, and kept to its time."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from foretext.corpus import Corpus
from foretext.errors import OutputError
from foretext.files import atomic_file, is_regular_file
from foretext.parsing import read_json
from foretext.pipeline.job import Base, PretrainingJob
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder

if TYPE_CHECKING:
    from foretext.plan import Plan

__all__ = ["plan_network", "resumed_recipe", "ruled_recipe", "wants_plan", "within_budget"]

LENGTHS = frozenset({"training.steps", "training.epochs", "training.budget_seconds"})


def plan_network(recipe: Recipe, text: Corpus, budget: float | None = None) -> Plan:
    """Plan what a recipe of a language model leaves open; nothing is written.

    Args:
        recipe: of a network that learns from text.
        text: what it would learn from.
        budget: seconds for everything; None: by the size of the text.

    Raises:
        ForetextError: the corpus cannot be read, or no size fits into memory.
    """
    from foretext.pipeline.building import build_model  # imports PyTorch
    from foretext.plan.planner import make_plan

    return make_plan(recipe, text, build_model, budget)


def wants_plan(recipe: Recipe, base: Base, budget: float | None) -> bool:
    """Whether there is something to plan: a budget, or a recipe that does not say how long."""
    return base is None and (budget is not None or not LENGTHS & recipe.chosen)


def ruled_recipe(recipe: Recipe) -> Recipe:
    """Return a recipe that is not planned, with the learning rate that fits its width."""
    from foretext.plan.open_settings import settings_by_width, with_sections

    return with_sections(recipe, settings_by_width(recipe))


def resumed_recipe(recipe: Recipe, run: RunFolder, budget: float | None = None) -> Recipe:
    """Return the recipe with what the run began with, where the user says nothing else.

    Raises:
        ModelFileError: the run's recipe is damaged.
        OutputError: the run's plan is damaged.
        UntrustedError: the run names code from outside foretext.
    """
    from foretext.plan.open_settings import PLANNED

    settings = Recipe.of_run(run.recipe).sections()
    for name in PLANNED:
        section, _, setting = name.partition(".")
        if name not in recipe.chosen and setting in settings.get(section, {}):
            recipe = recipe.with_settings(section, **{setting: settings[section][setting]})
    if budget is None or budget == _planned_budget(run):
        return recipe
    return recipe.with_budget(budget)


class _Budget(BaseModel):
    """What is read of a plan again."""

    budget_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _planned_budget(run: RunFolder) -> float | None:
    """The budget of the run, where it was planned."""
    if not is_regular_file(run.plan):
        return None
    plan: _Budget = read_json(run.plan, OutputError, _Budget)
    return plan.budget_seconds


def within_budget(job: PretrainingJob) -> PretrainingJob:
    """Give the training what is left of a planned run's budget, and write that to the run."""
    if job.budget is None:
        return job
    from foretext.plan.planner import training_seconds

    left = training_seconds(job.budget, time.monotonic() - job.began)
    recipe = job.recipe.with_budget(round(left, 1))
    with atomic_file(job.run.recipe) as temporary:
        recipe.save(temporary)
    return replace(job, recipe=recipe)
