"""`show`: real training examples of any recipe, on the user's own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.base.parsing import read_toml
from foretext.base.reader_language import in_language
from foretext.base.registry import imported
from foretext.corpus import CorpusConfig
from foretext.corpus.texts import TextSource, text_or_files
from foretext.messages import Language, language, message
from foretext.pretraining.given_texts import read_memory
from foretext.pretraining.job import PretrainingJob, Sources
from foretext.pretraining.learner import Draw, learner_of
from foretext.pretraining.looked_text import bytes_read, least_count, refuse_without_effect
from foretext.pretraining.tokenizer_examples import shown_tokenizer
from foretext.recipe import Recipe
from foretext.recipe.recipe import GivenSections, given_sections, names_recipe
from foretext.recipe.sections import Sections
from foretext.recipe.text_settings import resolved
from foretext.report.run_showing import show_run
from foretext.report.showing import Showing
from foretext.run_folder import RunFolder
from foretext.tasks import TASKS
from foretext.tokenizers.subwords import SUBWORDS

__all__ = [
    "EXAMPLES",
    "show",
    "show_named",
]

EXAMPLES = 3


@checked_arguments
def show(
    recipe: Any,
    text: TextSource,
    *,
    examples: int | None = None,
    seed: int = 0,
    tokenizer: str | Path | None = None,
    settings: GivenSections | None = None,
    lang: Language | None = None,
) -> Showing:
    """Show training examples of a recipe as the training reads them, or what a model does.

    A recipe shows what it learns from; nothing is trained. A trained model shows what it makes of
    each line: attention, layers, what it expects, and what decided on its answer.

    Args:
        recipe: a name such as ``"bert"``, a TOML file, or a `Recipe`; or a task, such as
            ``"text_to_text"``, whose labelled rows are then read in place of a text; or the path
            of a run, or what `foretext.load` has opened.
        text: a text itself, whose empty lines end documents; or a corpus, as `pretrain` takes it.
        examples: how many; None: 3, or 8 lines for a trained model.
        seed: of the draws.
        tokenizer: a file or a run that has one; None: one is learned of the text.
        settings: over those of the recipe, as `pretrain` takes them.
        lang: of titles and notes, ``"en"`` or ``"zh"``; None: the system's.

    Raises:
        ForetextError: text, recipe or tokenizer cannot be used; the message says why.
    """
    draw = Draw(
        EXAMPLES if examples is None else examples,
        seed,
        None if tokenizer is None else Path(tokenizer),
    )
    with in_language(lang):
        given = given_sections(settings)
        drawn = settings if set(given) - {"corpus"} else None  # how a text is read, models ask too
        drawing = {"tokenizer": tokenizer, "settings": drawn, "seed": seed or None}
        return show_named(recipe, text, draw, examples, given, drawing)


def show_named(
    named: Any,
    text: TextSource,
    draw: Draw,
    number: int | None,
    given: Sections,
    drawing: Mapping[str, Any],
    config: Path | None = None,
) -> Showing:
    """Show what is named, in the language of messages: here alone is decided what that is.

    Args:
        named: a task, a kind of tokenizer, a recipe, or a trained model, as `show` takes them.
        text: as `show` takes it.
        draw: which examples.
        number: of examples or lines, as the user gave it.
        given: settings; of a trained model those of the section corpus say how a text is read.
        drawing: options of what draws examples, by the names that the caller has for them; a
            trained model, which draws nothing, refuses those that are not None.
        config: a file of settings, which stand below the given ones.

    Raises:
        ForetextError: as `show`.
    """
    if isinstance(named, str) and named in TASKS:
        return _of_task(named, text, draw, _with_config(config, given))
    if isinstance(named, str) and named in SUBWORDS:
        return _of_tokenizer(named, text, draw, _with_config(config, given))
    if not names_recipe(named):
        _refuse_drawing(drawing)
        reading = given.get("corpus")
        return show_run(
            named, text, number, CorpusConfig.checked(reading, "corpus") if reading else None
        )
    if isinstance(named, str | Path):
        recipe = Recipe.load(named, given, config)
        refuse_without_effect(text, draw, _with_config(config, given))
        return _of_recipe(recipe, text, draw, _title(named))
    if given:
        raise SettingError(
            "settings: a Recipe object takes no settings; give the name of the recipe instead, or "
            "Recipe.load(NAME, settings)."
        )
    return _of_recipe(named, text, draw, named.name)


def _of_task(name: str, rows: Any, draw: Draw, given: Sections) -> Showing:
    """Return training examples of a task; what does so stands above this room."""
    showing: Showing = imported("foretext.finetuning.showing:show_task")(name, rows, draw, given)
    return showing


def _of_tokenizer(kind: str, text: TextSource, draw: Draw, given: Sections) -> Showing:
    """Return what a kind of tokenizer learns from a text, and how it cuts words of it."""
    refuse_without_effect(text, draw, given)
    return Showing(kind, tuple(shown_tokenizer(kind, text, draw, given)), language())


def _with_config(config: Path | None, given: Sections) -> Sections:
    """Return the settings of a TOML file with the given ones over them.

    Raises:
        SettingError: the file cannot be read.
    """
    sections = {} if config is None else read_toml(config, SettingError)
    return {
        section: {**sections.get(section, {}), **given.get(section, {})}
        for section in (*sections, *(each for each in given if each not in sections))
    }


def _title(recipe: str | Path) -> str:
    """Return what a page calls a recipe: its name, or that of its file without the suffix."""
    return Path(recipe).stem if Path(recipe).suffix == ".toml" else str(recipe)


def _refuse_drawing(drawing: Mapping[str, Any]) -> None:
    """Refuse options of what draws examples.

    Raises:
        SettingError: one is given.
    """
    for name, value in drawing.items():
        if value is not None:
            raise SettingError(message("options.show.of_model", name=name))


def _of_recipe(recipe: Recipe, text: TextSource, draw: Draw, title: str) -> Showing:
    """Return training examples of a recipe, under its title."""
    learner = learner_of(recipe)
    learner.check(recipe, None)
    if recipe.kind.reads_text and isinstance(text, str):
        text = text_or_files(text)
    with temporary_folder() as folder:
        job = PretrainingJob(run=RunFolder(folder), recipe=recipe, corpus=cast(Sources, text))
        recipe, sources = read_memory(recipe, text)
        job = replace(job, recipe=recipe, corpus=sources, keep=False)
        job, notes = _read(job, learns_words=draw.tokenizer is None)
        first, *others = learner.show(job, draw)
    return Showing(title, (first.noted(notes), *others), language())


def _read(job: PretrainingJob, *, learns_words: bool) -> tuple[PretrainingJob, list[str]]:
    """Return the job with its text open, its settings for a text that is looked at, and notes.

    Nothing is held out, and of a small text no word is left out as rare.
    """
    recipe = job.recipe
    if "data" in recipe.parts and "data.valid_rate" not in recipe.chosen:
        recipe = recipe.with_settings("data", valid_rate=0.0)
    if not recipe.kind.reads_text:
        return replace(job, recipe=recipe), []
    job = replace(job, recipe=recipe).opened()
    num_bytes, notes = bytes_read(job.text())
    job = job.fixed(num_bytes)
    if learns_words:
        is_chosen = "tokenizer.min_count" in recipe.chosen
        config = recipe.parts["tokenizer"].config
        least, rare = least_count(job.text(), config, is_chosen=is_chosen)
        if least is not None:
            recipe = recipe.with_settings("tokenizer", min_count=least)
        notes = [*notes, *rare]
    return replace(job, recipe=resolved(recipe, job.text())), notes
