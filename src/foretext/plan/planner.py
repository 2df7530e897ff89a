"""From a recipe, a corpus and a budget to a plan: a sample is encoded, and sizes are tried."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from foretext.corpus import Corpus
from foretext.objectives import OBJECTIVES
from foretext.plan.choice import Circumstances, choose
from foretext.plan.memory import free_bytes
from foretext.plan.open_settings import (
    merged_sections,
    settings_by_choice,
    settings_by_rules,
    with_sections,
)
from foretext.plan.plan import Plan
from foretext.plan.rules import default_budget
from foretext.plan.sample import CorpusSample
from foretext.plan.stopwatch import Timer
from foretext.plan.trials import Build, Trials
from foretext.recipe import Recipe

__all__ = ["make_plan", "training_seconds"]

TRAINING_RATE = 0.6  # of a budget, at least, however long the text takes to encode
CLOSING_RATE = 0.02  # of a budget, for the last held-out loss and the files
CLOSING_SECONDS = 1.0  # at least
TRIAL_RATE = 0.012  # of a budget, for each size that is tried
TRIAL_SECONDS = (0.2, 1.5)  # at least, at most


def make_plan(
    recipe: Recipe,
    corpus: Corpus,
    build: Build,
    budget: float | None = None,
    *,
    timer: Timer = time.monotonic,
) -> Plan:
    """Plan what `recipe` leaves open.

    Args:
        recipe: of a network that learns from text.
        corpus: what it learns from.
        build: makes the model of a recipe.
        budget: seconds for all, this planning too; None: by the size of the text.
        timer: counts seconds.

    Raises:
        CorpusError: the corpus cannot be read.
        SettingError: no size, or not the one that was chosen, fits into memory.
    """
    began = timer()
    sample = CorpusSample(corpus)
    seconds = budget or default_budget(sample.corpus_bytes)
    by_rules = settings_by_rules(recipe, sample.corpus_bytes, seconds)
    shortest, longest = TRIAL_SECONDS
    trial_seconds = min(max(TRIAL_RATE * seconds, shortest), longest)
    with tempfile.TemporaryDirectory(prefix="foretext-") as folder:
        ruled = with_sections(recipe, by_rules)
        trials = Trials(ruled, sample, Path(folder), build, trial_seconds, timer)
        used = timer() - began + trials.preparation_seconds
        given = Circumstances(
            OBJECTIVES.resolve(recipe.name).loss_law,
            training_seconds(seconds, used),
            trials.corpus_tokens,
            free_bytes(trials.device),
        )
        candidates = choose(trials.candidates(), given, trials.tokens_per_second)
    chosen = next(each for each in candidates if each.chosen)
    planning = timer() - began
    return Plan(
        recipe=recipe.name,
        budget_seconds=seconds,
        chosen_budget=budget is not None,
        planning_seconds=planning,
        preparation_seconds=trials.preparation_seconds,
        training_seconds=training_seconds(seconds, planning + trials.preparation_seconds),
        corpus_bytes=sample.corpus_bytes,
        corpus_tokens=trials.corpus_tokens,
        vocab_size=trials.tokenizer.vocab_size,
        candidates=candidates,
        settings=merged_sections(
            by_rules, settings_by_choice(recipe, chosen, trials.corpus_tokens)
        ),
    )


def training_seconds(budget: float, used: float) -> float:
    """Return what a budget leaves for the training when so many seconds go, or went, elsewhere."""
    closing = max(CLOSING_RATE * budget, CLOSING_SECONDS)
    return max(budget - used - closing, TRAINING_RATE * budget)
