"""Labelled rows that Python holds, on their way into a fine-tuning."""

from __future__ import annotations

from dataclasses import replace

from foretext.finetuning.bases import predictor_class
from foretext.finetuning.recipe import TaskRecipe

__all__ = ["read_memory"]


def read_memory(recipe: TaskRecipe) -> TaskRecipe:
    """Return the recipe with rows in memory as sources that the task reads; files stay files.

    Raises:
        CorpusError: there are no rows, or they are not what the task needs.
        SettingError: there is no such task or base.
    """
    source_of = predictor_class(recipe.task, recipe.base).source_of
    valid = None if recipe.valid is None else source_of(recipe.valid)
    test = None if recipe.test is None else source_of(recipe.test)
    return replace(recipe, train=source_of(recipe.train), valid=valid, test=test)
