"""The settings of a recipe that the text decides: the "auto" ones, and those of ``--auto``."""

from __future__ import annotations

from foretext.corpus import Corpus
from foretext.corpus.advice import Proposal, proposals
from foretext.recipe.recipe import Recipe
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.folding import folding_sentence
from foretext.tokenizers.subwords import SUBWORDS
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["advised", "folding", "settled", "settled_as"]

AUTO = "auto"
DECIDED = {"corpus": ("lines", "documents"), "tokenizer": ("pre_tokenizer", "lowercase")}
PROPOSED = {"corpus": ("sentences", "normalization"), "tokenizer": ()}


def settled(recipe: Recipe, text: Corpus) -> Recipe:
    """Return the recipe with a value for each setting that is "auto" and that `text` decides.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    name, config = recipe.parts["tokenizer"]
    tokenizer: type[Tokenizer] = WordTokenizer
    if recipe.is_language_model:
        tokenizer = SUBWORDS.resolve(str(name))
    recipe = recipe.with_config("corpus", text.settled)
    return recipe.with_config("tokenizer", tokenizer.settled(config, text))


def settled_as(recipe: Recipe, earlier: Recipe, *, auto: bool = False) -> Recipe:
    """Return the recipe with what `earlier` has for the settings that the text decides.

    With `auto` these are also the settings that ``--auto`` may have changed.
    """
    for section, names in DECIDED.items():
        before = earlier.parts[section].settings()
        now = recipe.parts[section].settings()
        names_too = (*names, *PROPOSED[section])
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
    return recipe.is_language_model and bool(
        recipe.parts["objective"].settings().get("next_sentence", False)
    )


def folding(recipe: Recipe) -> str:
    """Return what becomes of case, accents and width."""
    return folding_sentence(recipe.parts["tokenizer"].settings(), recipe.corpus.normalization)
