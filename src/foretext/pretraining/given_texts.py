"""Texts that Python holds, on their way into a run: how they are read, and known again."""

from __future__ import annotations

import json
from typing import Any, cast

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.corpus.texts import TextSource, are_tokens, found_sources, memory_identity
from foretext.pretraining.job import PretrainingJob, Sources
from foretext.pretraining.learner import learner_of
from foretext.recipe import Recipe

__all__ = ["keep_memory", "read_memory"]

KEPT = "texts.json"  # among the checkpoints: a finished run needs no texts
AS_GIVEN: dict[str, dict[str, Any]] = {  # words that somebody else has cut
    "tokenizer": {"pre_tokenizer": "whitespace", "lowercase": False},
    "corpus": {"normalization": "none"},
}


def read_memory(recipe: Recipe, given: TextSource) -> tuple[Recipe, Sources]:
    """Read texts that are in memory; returns the recipe, and what the job opens.

    Lists of words are taken as they are: neither cut nor lower-cased, unless the user says so.

    Raises:
        CorpusError: these are neither texts nor files.
        SettingError: the recipe cannot learn from lists of words.
    """
    if not recipe.kind.reads_text:
        return recipe, cast(Sources, given)  # files of images, or an array
    sources = found_sources(given, recipe.corpus.column)
    if not are_tokens(sources):
        return recipe, sources
    if not learner_of(recipe).takes_words:
        raise SettingError(
            f"{recipe.kind.at_first} learns its own tokens and cannot take lists of words; give "
            "each text as a string."
        )
    pre_tokenizer = recipe.tokenizer.pre_tokenizer
    if "tokenizer.pre_tokenizer" in recipe.chosen and pre_tokenizer != "whitespace":
        raise SettingError(
            f"pre_tokenizer = '{pre_tokenizer}' has no effect on lists of words, "
            "which are cut already; leave it out, or give texts as strings."
        )
    for section, settings in AS_GIVEN.items():
        chosen = {name for name in settings if f"{section}.{name}" in recipe.chosen}
        left_open = {name: value for name, value in settings.items() if name not in chosen}
        recipe = recipe.with_settings(section, **left_open)
    return recipe, sources


def keep_memory(job: PretrainingJob) -> None:
    """Write down which texts a run learns from; a run that is resumed has to get them again.

    Raises:
        SettingError: it began with others.
    """
    now, path = memory_identity(job.corpus), job.run.checkpoints / KEPT
    if not job.resume:
        if now and job.keep:
            with atomic_file(path) as temporary:
                temporary.write_text(json.dumps(now), encoding="utf-8", newline="\n")
        return
    before = read_json(path, ModelFileError, dict[str, str]) if path.is_file() else {}
    if before != now:
        raise SettingError(
            f"{job.run.named} began with {before.get('name', 'files')}, and this is "
            f"{_difference(before, now)}; resume with what it began with, or begin another run."
        )


def _difference(before: dict[str, str], now: dict[str, str]) -> str:
    name = now.get("name", "a list of files")
    return f"other text ({name})" if name == before.get("name") else name
