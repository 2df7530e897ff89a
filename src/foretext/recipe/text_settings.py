"""The settings of a recipe that the text decides: the "auto" ones, and those of ``--auto``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foretext.base.config import Config
from foretext.corpus import Corpus
from foretext.corpus.advice import Proposal, proposals, proposed_settings
from foretext.corpus.findings import WordSettings
from foretext.corpus.sources import left_out_sentence
from foretext.corpus.symbols import DROPPING, dropped_sentence
from foretext.messages import message
from foretext.objectives import OBJECTIVES
from foretext.recipe.recipe import Recipe, read_overrides
from foretext.recipe.sections import Sections
from foretext.tokenizers.alphabet import folding_sentence
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subwords import SUBWORDS
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = [
    "Suited",
    "advised",
    "advised_tokenizer",
    "corpus_to_inspect",
    "folding",
    "resolved",
    "resolved_as",
    "suited",
]

AUTO = "auto"
DECIDED = {
    "corpus": ("lines", "documents"),
    "tokenizer": ("pre_tokenizer", "lowercase"),
    "objective": ("words",),
}
_BEGINNING = 1 << 18  # characters in which symbols are looked for
PROPOSED = {"corpus": ("sentences", "normalization")}


class Suited(NamedTuple):
    """A recipe that fits its text."""

    recipe: Recipe
    text: Corpus
    notes: list[str]  # sentences on what was found


def resolved(recipe: Recipe, text: Corpus) -> Recipe:
    """Return the recipe with a value for each setting that is "auto" and that `text` decides.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    name, config = recipe.parts["tokenizer"]
    tokenizer: type[Tokenizer] = WordTokenizer if name is None else SUBWORDS.resolve(name)
    if (objective := recipe.parts.get("objective")) is not None:
        rules = OBJECTIVES.resolve(str(objective.name)).text_rules
        predicted = rules.resolved(objective.config, text)
        recipe = recipe.with_config("objective", predicted)
    recipe = recipe.with_config("corpus", text.resolved)
    return recipe.with_config("tokenizer", tokenizer.resolved(config, text))


def resolved_as(recipe: Recipe, earlier: Recipe, *, auto: bool = False) -> Recipe:
    """Return the recipe with what `earlier` has for the settings that the text decides.

    With `auto` these are also the settings that ``--auto`` may have changed.
    """
    for section, names in DECIDED.items():
        if section not in recipe.parts:
            continue
        before = earlier.parts[section].settings()
        now = recipe.parts[section].settings()
        names_too = (*names, *PROPOSED.get(section, ()))
        taken = {
            name: before[name]
            for name in (names_too if auto else names)
            if name in before
            and f"{section}.{name}" not in recipe.chosen
            and (auto or now.get(name) == AUTO)
        }
        recipe = recipe.with_settings(section, **taken) if taken else recipe
    return recipe


def advised(recipe: Recipe, text: Corpus) -> tuple[Recipe, list[Proposal]]:
    """Return the recipe with the settings that suit `text`, and those that were changed.

    What the user chose stays, and so does what the recipe has no use for: sentences are split only
    where they are predicted, for windows and rows of text are better the longer they are.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    changed = []
    for proposal in proposals(text):
        section = proposal.section
        current = recipe.parts[section].settings()
        is_open = f"{section}.{proposal.name}" not in recipe.chosen
        if proposal.name == "sentences":
            is_open = is_open and _predicts_sentences(recipe)
        if is_open and current.get(proposal.name, proposal.value) != proposal.value:
            recipe = recipe.with_settings(section, **{proposal.name: proposal.value})
            changed.append(proposal)
    return recipe, changed


def _predicts_sentences(recipe: Recipe) -> bool:
    objective = recipe.parts.get("objective")
    return objective is not None and bool(objective.settings().get("next_sentence", False))


def suited(recipe: Recipe, text: Corpus, *, auto: bool = False) -> Suited:
    """Return a recipe and its corpus with every setting that the text decides.

    Args:
        recipe: of anything that learns from text.
        text: as the recipe reads it.
        auto: take the settings that suit the text, too, where the user chose none.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    notes = []
    if auto:
        recipe, changed = advised(recipe, text)
        notes += [
            message("notes.text.auto", setting=proposal.setting, reason=proposal.reason)
            for proposal in changed
        ]
        text = text.reread(recipe.corpus)
    is_open = recipe.corpus.lines == AUTO
    recipe = resolved(recipe, text)
    if is_open and recipe.corpus.lines == "wrapped":
        notes.append(message("notes.text.joined", width=text.layout.line_ends.width))
    if (unread := left_out_sentence(text.left_out)) is not None:
        notes.append(message("notes.text.of", said=unread))
    notes += [message("notes.text.by_beginning", said=way) for way in text.ways()]
    notes.append(message("notes.text.of", said=folding(recipe)))
    text = text.reread(recipe.corpus)
    kind = str(recipe.parts["tokenizer"].settings().get("pre_tokenizer"))
    if kind in DROPPING and (said := dropped_sentence(_first_lines(text), kind, "tokenizer")):
        notes.append(message("notes.text.of", said=said))
    return Suited(recipe, text, notes)


def _first_lines(text: Corpus) -> list[str]:
    """Return the lines of the beginning of a text in normal form."""
    return [line for line in next(text.blocks(_BEGINNING), "").split("\n") if line]


def advised_tokenizer(config: type[Config], given: Sections, text: Corpus) -> Sections:
    """Return the sections `corpus` and `tokenizer` with the settings that suit `text`.

    Args:
        config: of the kind of tokenizer; what it does not have is left out.
        given: by the user; these stay.
        text: what is learned from.
    """
    found = proposed_settings(text)
    corpus = {name: value for name, value in found.get("corpus", {}).items() if name != "sentences"}
    words = {
        name: value
        for name, value in found.get("tokenizer", {}).items()
        if name in config.model_fields
    }
    return {
        "corpus": {**corpus, **given.get("corpus", {})},
        "tokenizer": {**words, **given.get("tokenizer", {})},
    }


def corpus_to_inspect(
    names: Sequence[str], overrides: Sequence[str], *, auto: bool = False
) -> tuple[Corpus, WordSettings]:
    """Return a corpus, and what a word is, by the settings of word vectors.

    Args:
        names: of files, as for `Corpus`.
        overrides: ``"section.setting=value"`` of the sections `corpus` and `tokenizer`.
        auto: with the settings that suit the text, where `overrides` has none.

    Raises:
        SettingError: there is no such setting, or a value is not allowed.
        CorpusError: there is no such file; with `auto`, a file cannot be read.
    """
    read_overrides(overrides, ("corpus", "tokenizer"))  # other sections are refused
    recipe = Recipe.load("word2vec", overrides)
    text = Corpus(names, recipe.corpus)
    if auto:
        for proposal in proposals(text):
            if f"{proposal.section}.{proposal.name}" not in recipe.chosen:
                value = {proposal.name: proposal.value}
                recipe = recipe.with_settings(proposal.section, **value)
        text = text.reread(recipe.corpus)
    words = recipe.tokenizer
    kind = None if words.pre_tokenizer == "auto" else words.pre_tokenizer
    return text, WordSettings(kind, words.lowercase, words.min_count)


def folding(recipe: Recipe) -> str:
    """Return what becomes of case, accents and width."""
    return folding_sentence(recipe.parts["tokenizer"].settings(), recipe.corpus.normalization)
