"""The settings of a run that its text decides, found before anything is learned."""

from __future__ import annotations

from dataclasses import replace

from foretext.base.errors import SettingError
from foretext.pretraining.job import PretrainingJob
from foretext.recipe import Recipe
from foretext.recipe.text_settings import resolved_as, suited

__all__ = ["with_text_settings"]


def with_text_settings(job: PretrainingJob, *, auto: bool = False) -> PretrainingJob:
    """Return the job with a value for each setting that is "auto", and its corpus open.

    Notes say what becomes of case, accents and width, and what `auto` has changed. A resumed run
    keeps the values that it began with.

    Args:
        job: what is learned.
        auto: take the settings that `foretext inspect` proposes, where the user chose none.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
        SettingError: `auto` is asked for images.
    """
    recipe = job.recipe
    if recipe.is_autoencoder:
        if auto:
            raise SettingError("--auto is for text; images have no such settings.")
        return job
    if job.resume:
        return replace(job, recipe=resolved_as(recipe, Recipe.of_run(job.run.recipe), auto=auto))
    found = suited(recipe, job.text(), auto=auto)
    for sentence in found.notes:
        job.note(sentence)
    return replace(job, recipe=found.recipe, found=found.text)
