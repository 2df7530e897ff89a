"""Examples of what learns from whole words: word and document vectors, topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from foretext.base.errors import SettingError
from foretext.base.registry import Registry
from foretext.data.token_file import Tokens
from foretext.messages import message
from foretext.pretraining.job import PretrainingJob
from foretext.pretraining.learner import Draw
from foretext.pretraining.word_vectors import WordText, encode_text
from foretext.recipe import Recipe
from foretext.shown import Shown
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["shown_words"]

SHORT = 10_000  # words of a text in which each word is so frequent that hardly one is kept


def shown_words(job: PretrainingJob, draw: Draw, components: Registry) -> Iterable[Shown]:
    """Count the words, encode the text, and yield what a component shows before its first step.

    Args:
        job: in a temporary folder.
        draw: which examples.
        components: of which the recipe names one.

    Raises:
        ForetextError: the text cannot be used, or the component has nothing to show.
    """
    tokenizer, tokens = _encoded(job, draw.tokenizer_file)
    recipe, notes = _readable(job.recipe, tokens)
    component = components.resolve(recipe.name)
    learner = component(recipe.of_words, tokenizer.vocabulary, tokens)
    show = getattr(learner, "show", None)  # foreign: there may be none
    if show is None:
        raise SettingError(f"{component.__name__} has no examples that could be shown.")
    shown: Iterator[Shown] = iter(show(draw.number, draw.seed))
    first = next(shown)
    return chain([first.noted(notes)], shown)


def _encoded(job: PretrainingJob, path: Path | None) -> tuple[WordTokenizer, Tokens]:
    """Encode the text by the words of a file, or by its own."""
    if path is None:
        return encode_text(job, holds_out=False)
    tokenizer = WordTokenizer.load(path)
    with WordText.opened(job.recipe, job.text(), job.run.path) as text:
        return tokenizer, text.encoded(tokenizer, job.run.tokens)


def _readable(recipe: Recipe, tokens: Tokens) -> tuple[Recipe, list[str]]:
    """Return the recipe without sub-sampling where the text is short, and a note on that."""
    section = str(recipe.kind.section)
    recipe = recipe.with_settings(section, workers=1)
    settings = recipe.parts[section].settings()
    chosen = {f"{section}.sample", f"{section}.subsampling"} & set(recipe.chosen)
    if not settings.get("sample") or chosen or tokens.train.num_tokens > SHORT:
        return recipe, []
    said = message("vectors.vocabulary.short", t=f"{settings['sample']:g}")
    return recipe.with_settings(section, sample=0.0), [said]
