"""From a recipe, a corpus and a budget to a plan: a sample is encoded, and sizes are tried."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from foretext.corpus import Corpus
from foretext.objectives import OBJECTIVES
from foretext.pretraining.plan.choice import Circumstances, choose
from foretext.pretraining.plan.memory import free_bytes
from foretext.pretraining.plan.open_settings import (
    merged_sections,
    settings_by_choice,
    settings_by_rules,
    with_sections,
)
from foretext.pretraining.plan.plan import Plan
from foretext.pretraining.plan.rules import default_budget
from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.plan.stopwatch import Timer
from foretext.pretraining.plan.times import LOADING_SECONDS, READING_RATE, Closing, training_seconds
from foretext.pretraining.plan.trials import Build, Prepare, Trials
from foretext.recipe import Recipe
from foretext.tokenizers.subwords import SUBWORDS

__all__ = ["make_plan"]

LEAST_READING_RATE = 0.1  # of a budget, however long the planning took
TRIAL_RATE = 0.012  # of a budget, for each size that is tried
TRIAL_SECONDS = (0.2, 1.5)  # at least, at most


def make_plan(
    recipe: Recipe,
    corpus: Corpus,
    build: Build,
    budget: float | None = None,
    *,
    used: float = 0.0,
    page: bool = True,
    timer: Timer = time.monotonic,
    prepare: Prepare | None = None,
    is_fixed: bool = False,
) -> Plan:
    """Plan what `recipe` leaves open.

    Args:
        recipe: of a network that learns from text.
        corpus: what it learns from.
        build: makes the model of a recipe.
        budget: seconds for all, this planning too; None: by the size of the text.
        used: seconds of it that are gone already.
        page: whether the run is to write a page.
        timer: counts seconds.
        prepare: returns tokenizer and ids of all of the text, where these are ready, or are made
            now.
        is_fixed: whether all of the text is read, however long that takes.

    Raises:
        CorpusError: the corpus cannot be read.
        SettingError: no size, or not the one that was chosen, fits into memory, or the budget is
            too short.
    """
    began = timer() - used
    sample = CorpusSample(corpus)
    seconds = budget or default_budget(sample.corpus_bytes)
    closing = Closing.fitting(seconds, page=page, word_map=False)
    after = closing.seconds() + closing.page * LOADING_SECONDS
    by_rules = settings_by_rules(recipe, sample.corpus_bytes, seconds)
    shortest, longest = TRIAL_SECONDS
    trial_seconds = min(max(TRIAL_RATE * seconds, shortest), longest)
    with tempfile.TemporaryDirectory(prefix="foretext-") as folder:
        ruled = with_sections(recipe, by_rules)
        trials = Trials(ruled, sample, Path(folder), build, trial_seconds, timer, prepare)
        text_rate = _text_rate(trials.preparation_seconds, seconds, timer() - began)
        text_rate = 1.0 if is_fixed else text_rate
        preparation = text_rate * trials.preparation_seconds
        text_tokens = round(text_rate * trials.corpus_tokens)
        given = Circumstances(
            _loss_law(recipe),
            training_seconds(seconds, timer() - began + preparation, after),
            text_tokens,
            free_bytes(trials.device),
        )
        candidates = choose(trials.candidates(), given, trials.tokens_per_second)
        chosen = next(each for each in candidates if each.chosen)
        by_model = trials.settings_of_beginning(chosen)
    planning = timer() - began
    return Plan(
        recipe=recipe.name,
        budget_seconds=seconds,
        chosen_budget=budget is not None,
        planning_seconds=planning,
        preparation_seconds=preparation,
        training_seconds=training_seconds(seconds, planning + preparation, after),
        corpus_bytes=sample.corpus_bytes,
        corpus_tokens=text_tokens,
        text_rate=text_rate,
        vocab_size=trials.tokenizer.vocab_size,
        candidates=candidates,
        settings=merged_sections(
            merged_sections(by_rules, settings_by_choice(recipe, chosen, text_tokens)), by_model
        ),
    )


def _loss_law(recipe: Recipe) -> str | None:
    """Return the law of the objective; None of whole words, since the laws are of sub-words."""
    tokenizer = SUBWORDS.resolve(str(recipe.parts["tokenizer"].name))
    law: str | None = OBJECTIVES.resolve(recipe.name).loss_law
    return law if tokenizer.plans_vocabulary else None


def _text_rate(preparation: float, budget: float, used: float) -> float:
    """Return the share of the text that there is time to learn a tokenizer of and to encode."""
    allowed = max(READING_RATE * budget - used, LEAST_READING_RATE * budget)
    return min(allowed / max(preparation, 1e-9), 1.0)
