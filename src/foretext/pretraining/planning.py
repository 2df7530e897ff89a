"""A network's run planned before it begins, and kept to its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foretext.corpus import Corpus
from foretext.pretraining.job import Base
from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.shared import SharedFolder
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder

if TYPE_CHECKING:
    from foretext.pretraining.plan import Plan
    from foretext.pretraining.plan.dry_run import DryRun

__all__ = [
    "dry_runs_of",
    "plan_network",
    "resumed_recipe",
    "ruled_by_text",
    "ruled_recipe",
    "wants_plan",
]

LENGTHS = frozenset({"training.steps", "training.epochs", "training.budget_seconds"})


def plan_network(
    recipe: Recipe,
    text: Corpus,
    budget: float | None = None,
    *,
    used: float = 0.0,
    page: bool = True,
    shared: SharedFolder | None = None,
    is_fixed: bool = False,
) -> Plan:
    """Plan what a recipe of a language model leaves open; nothing is written but what is shared.

    Args:
        recipe: of a network that learns from text.
        text: what it would learn from.
        budget: seconds for everything; None: by the size of the text.
        used: seconds of it that are gone already.
        page: whether the run is to write a page.
        shared: where the text's tokenizer and ids are, or are made.
        is_fixed: whether all of the text is read, however long that takes.

    Raises:
        SettingError: the pair of backbone and objective does not fit, no size fits into memory, or
            the budget is too short.
        CorpusError: the corpus cannot be read.
    """
    from foretext.pretraining.building import build_model, check_model  # imports PyTorch
    from foretext.pretraining.plan.planner import make_plan
    from foretext.pretraining.shared_text import SharedText

    check_model(recipe)  # before any text is read
    prepare = None if shared is None else SharedText(shared, text).prepared
    return make_plan(
        recipe,
        text,
        build_model,
        budget,
        used=used,
        page=page,
        prepare=prepare,
        is_fixed=is_fixed,
    )


def dry_runs_of(
    recipe: Recipe, device: str, processes: int, utilization: float
) -> tuple[Recipe, list[DryRun]]:
    """Return what a training needs by each kind of sharding, and the recipe with its rates.

    The vocabulary is as large as the recipe says; no text is read, and nothing is measured.

    Args:
        recipe: of a network that learns from text.
        device: the name of a kind.
        processes: a device each.
        utilization: share of a device's operations that the training uses.

    Raises:
        SettingError: the pair of backbone and objective does not fit, or the device is not known.
    """
    from foretext.pretraining.building import check_model, training_config  # imports PyTorch
    from foretext.pretraining.plan.dry_run import dry_runs

    recipe = ruled_recipe(recipe)
    vocab_size = recipe.parts["tokenizer"].settings()["vocab_size"]
    model = check_model(recipe, vocab_size=vocab_size)
    return recipe, list(dry_runs(model, training_config(recipe), device, processes, utilization))


def wants_plan(recipe: Recipe, base: Base, budget: float | None) -> bool:
    """Whether there is something to plan: a budget, or a recipe that does not say how long."""
    return base is None and (budget is not None or not LENGTHS & recipe.chosen)


def ruled_recipe(recipe: Recipe) -> Recipe:
    """Return a recipe that is not planned, with the learning rate that fits its width."""
    from foretext.pretraining.plan.open_settings import settings_by_width, with_sections

    return with_sections(recipe, settings_by_width(recipe))


def ruled_by_text(recipe: Recipe, sample: CorpusSample) -> Recipe:
    """Return a recipe with the vocabulary that a plan gives it, which its tokenizer depends on.

    Neither tokenizer nor ids depend on what the time decides.
    """
    from foretext.pretraining.plan.open_settings import settings_by_rules, with_sections

    settings = settings_by_rules(recipe, sample.corpus_bytes, 1.0)
    return with_sections(recipe, {"tokenizer": settings.get("tokenizer", {})})


def resumed_recipe(recipe: Recipe, run: RunFolder) -> Recipe:
    """Return the recipe with what the run began with, where the user says nothing else.

    Raises:
        ModelFileError: the run's recipe is damaged.
        UntrustedError: the run names code from outside foretext.
    """
    from foretext.pretraining.plan.open_settings import PLANNED

    settings = Recipe.of_run(run.recipe).sections()
    for name in PLANNED:
        section, _, setting = name.partition(".")
        if name not in recipe.chosen and setting in settings.get(section, {}):
            recipe = recipe.with_settings(section, **{setting: settings[section][setting]})
    return recipe
