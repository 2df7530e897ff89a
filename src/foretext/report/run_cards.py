"""The card of a finished run again, from the files of its folder, in the current language.

A function that reads a folder returns one that renders the card, because a card is also compared
with what foretext writes in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from foretext.artifact import (
    BEST,
    holds_comparison,
    kind_named,
    load_language_model,
    load_vectors,
    opened_run,
)
from foretext.base.errors import ModelFileError, OutputError
from foretext.messages import LANGUAGES, in_language
from foretext.recipe import Recipe
from foretext.report.autoencoder_card import autoencoder_card
from foretext.report.card import vectors_card
from foretext.report.document_card import documents_card
from foretext.report.run_files import (
    ABSENT,
    AutoencoderFacts,
    Count,
    DocumentsFacts,
    Figure,
    LanguageModelFacts,
    NetworkRecord,
    Number,
    Seconds,
    VectorsFacts,
    read_facts,
    read_records,
    read_sections,
)
from foretext.report.task_card import task_card
from foretext.report.task_files import Share, TaskFacts
from foretext.report.word_map import example_word
from foretext.run_folder import RunFolder

__all__ = [
    "Card",
    "WordsCard",
    "card_of_autoencoder",
    "card_of_documents",
    "card_of_language_model",
    "card_of_task",
    "card_of_vectors",
    "rewrite_card",
]

Card = Callable[[str], str]  # of the folder that its commands name
Loss = Figure | None
NAMED = re.compile(r'\bload\("([^"\n]+)"\)')  # the folder, in the code that opens it


class WordsCard(BaseModel):
    """What the cards of word vectors, documents and topics need beside what their pages need."""

    foretext: str
    pre_tokenizer: str
    loss: Loss
    valid_loss: Loss
    seconds: Seconds | None  # None: there was nothing to train on
    warnings: list[str] = ABSENT


class LanguageModelCard(BaseModel):
    """What the card of a language model needs beside what its page needs."""

    foretext: str
    tokens: Count
    documents: Count
    held_out_tokens: Count
    warnings: list[str] = ABSENT


class AutoencoderCard(BaseModel):
    """What the card of an autoencoder needs beside what its page needs."""

    foretext: str
    autoencoder: str


class AdaptedFacts(BaseModel):
    """How a base was pretrained further."""

    tokens: Count
    seconds: Seconds
    loss_before: Loss
    loss_after: Loss


class TaughtFacts(BaseModel):
    """Whose answers a model learned."""

    name: str
    labelled: Count
    unlabelled: Count
    weight: Number


class ConsistencyFacts(BaseModel):
    """How texts without labels were used."""

    unlabelled: Count
    replaced_rate: Share
    weight: Number


class TaskCard(BaseModel):
    """What the card of a task needs beside what its page needs."""

    foretext: str
    steps: Count
    cut: Count
    usage: str
    files: str
    scheme: str | None = ABSENT
    adapted: AdaptedFacts | None = ABSENT
    taught: TaughtFacts | None = ABSENT
    consistency: ConsistencyFacts | None = ABSENT


def rewrite_card(run: str | Path) -> tuple[Path, bool] | None:
    """Write the card of a finished run again, in the current language.

    Only the part between foretext's marks is replaced, or a whole card without marks that is equal
    to what foretext writes. A part that somebody has changed stays as it is.

    Args:
        run: the folder; of a comparison, the card is that of its best model.

    Returns:
        The file, and whether it was written; None where a kind of run has no card, or a comparison
        has no best model.

    Raises:
        ModelFileError: a file of the run is damaged.
        OutputError: the card cannot be read or written.
    """
    if holds_comparison(run) and not (Path(run) / BEST).is_dir():
        return None
    folder = opened_run(run)
    kind = kind_named(folder.written_kind() or "word vectors", folder.config)
    if kind.card is None:
        return None
    card: Card = kind.code("card")(folder)
    written = folder.card_text()
    kept = _folder_named(written, folder.path)
    here = _from_anywhere(folder.named)
    former = []
    for each in LANGUAGES:
        with in_language(each):
            former += [card(name) for name in {kept or here, here}]
    return folder.card, folder.rewrite_card(card(kept or here), former)


def _folder_named(text: str, folder: Path) -> str | None:
    """Return the path by which a card names its folder, if it ends this folder's path.

    A card is often written in one working folder and translated in another, such as the run's own.
    """
    found = NAMED.search(text)
    if found is None:
        return None
    here, there = folder.resolve().parts, Path(found[1]).parts
    return found[1] if there and here[-len(there) :] == there else None


def _from_anywhere(named: Path) -> str:
    """Return a path as it was given, but ``.`` and ``..``, which say nothing elsewhere, in full."""
    return str(named.resolve() if set(named.parts) <= {".."} else named)


def card_of_vectors(run: RunFolder) -> Card:
    """Return what renders the card of a run of word vectors; see `foretext.kinds.Kind.card`."""
    facts = read_facts(run, VectorsFacts, WordsCard)
    word = example_word(load_vectors(run.path))
    return partial(vectors_card, Recipe.of_run(run.recipe), facts, word=word)


def card_of_documents(run: RunFolder) -> Card:
    """Return the same of a run of document vectors."""
    facts = read_facts(run, DocumentsFacts, WordsCard)
    return partial(documents_card, Recipe.of_run(run.recipe), facts)


def card_of_language_model(run: RunFolder) -> Card:
    """Return the same of a run of a language model, whose weights are read.

    Raises:
        ModelFileError: it has no objective.
        OutputError: its metrics are not of a training.
    """
    from foretext.report.model_card import model_card
    from foretext.training.kept_record import kept_record

    facts = read_facts(run, LanguageModelFacts, LanguageModelCard)
    recipe, history = Recipe.of_run(run.recipe), read_records(run.metrics, NetworkRecord)
    if not history or not isinstance(history[-1].get("loss"), float):
        raise OutputError(f"{run.metrics} has no loss in its last line; fetch or write it again.")
    kept = kept_record(history, keep=str(recipe.sections()["training"]["keep"]))
    record = {
        name: value
        for name, value in kept.items()
        if not name.startswith("valid_") or isinstance(value, float)
    }
    model = load_language_model(run.path)
    if model.objective is None:
        raise ModelFileError(f"{run.config} names no objective; fetch or write it again.")
    parts = model.backbone, model.objective
    learned = model.objective.config  # without what the text did not allow
    if type(learned) is type(recipe.parts["objective"].config):
        recipe = recipe.with_config("objective", learned)
    return partial(model_card, recipe, *parts, facts, record, their_class=run.their_class)


def card_of_autoencoder(run: RunFolder) -> Card:
    """Return the same of a run of an autoencoder."""
    facts = read_facts(run, AutoencoderFacts, AutoencoderCard)
    return partial(autoencoder_card, Recipe.of_run(run.recipe), facts)


def card_of_task(run: RunFolder) -> Card:
    """Return the same of a run that learned a task."""
    facts, sections = read_facts(run, TaskFacts, TaskCard), read_sections(run.recipe)
    return partial(task_card, facts, sections, their_class=run.their_class)
