"""Labelled rows that Python holds, on their way into a fine-tuning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foretext.data.rows.parallel_files import as_parallel_files
from foretext.finetuning.bases import predictor_class
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.unlabelled import unlabelled_source

__all__ = ["read_memory"]


def read_memory(recipe: TaskRecipe) -> TaskRecipe:
    """Return the recipe with rows in memory as sources that the task reads; files stay files.

    Raises:
        CorpusError: there are no rows, or they are not what the task needs.
        SettingError: there is no such task or base.
    """
    source_of = predictor_class(recipe.task, recipe.base).source_of
    sources: dict[str, Any] = {
        name: as_parallel_files(rows) or source_of(rows) for name, rows in recipe.rows.items()
    }
    if recipe.unlabelled is not None:
        sources["unlabelled"] = unlabelled_source(recipe.unlabelled)
    return replace(recipe, **sources)
