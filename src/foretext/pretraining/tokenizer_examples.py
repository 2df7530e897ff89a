"""Examples of a tokenizer: what it learns from, and how it cuts words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.base.errors import SettingError, did_you_mean
from foretext.base.registry import imported
from foretext.corpus import Corpus
from foretext.corpus.blocks import first_bytes
from foretext.corpus.texts import TextSource, found_sources, text_or_files
from foretext.pretraining.learner import Draw
from foretext.pretraining.looked_text import bytes_read, least_count
from foretext.recipe import corpus_config
from foretext.recipe.sections import Sections
from foretext.shown import Shown
from foretext.tokenizers.showing import cuts_shown, words_of
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SUBWORDS

__all__ = ["shown_tokenizer"]

SECTIONS = ("corpus", "tokenizer")


def shown_tokenizer(kind: str, text: TextSource, draw: Draw, given: Sections) -> Sequence[Shown]:
    """Show what a kind of tokenizer learns from a text, and how it cuts words of it.

    Args:
        kind: a row of `SUBWORDS`.
        text: as `foretext.pretraining.showing.show` takes it.
        draw: which words are cut; with a tokenizer, that one cuts them.
        given: settings by section, of `SECTIONS`.

    Raises:
        ForetextError: the text, a setting or the tokenizer cannot be used.
    """
    _refuse_sections(given)
    tokenizer = SUBWORDS.resolve(kind)
    settings = given.get("tokenizer", {})
    config = tokenizer.Config.checked(settings, "tokenizer")
    corpus = _opened(text, given)
    if (file := draw.tokenizer_file) is not None:
        words = words_of(corpus, draw.number, draw.seed)
        return [cuts_shown(SubwordTokenizer.load(file), words)]
    least, rare = least_count(corpus, config, is_chosen="min_count" in settings)
    if least is not None:
        config = tokenizer.Config.checked({**settings, "min_count": least}, "tokenizer")
    num_bytes, notes = bytes_read(corpus)
    first, *others = imported(tokenizer.examples)(
        tokenizer, config, first_bytes(corpus, num_bytes), draw.number, draw.seed
    )
    return [first.noted([*notes, *rare]), *others]


def _opened(text: TextSource, given: Sections) -> Corpus:
    config = corpus_config(given.get("corpus", {}))
    named = text_or_files(text) if isinstance(text, str) else text
    return Corpus(found_sources(named, config.column), config)


def _refuse_sections(given: dict[str, dict[str, Any]]) -> None:
    for section in given:
        if section not in SECTIONS:
            raise SettingError(
                f"[{section}]: a tokenizer has no such section.{did_you_mean(section, SECTIONS)} "
                f"There are: {', '.join(SECTIONS)}."
            )
