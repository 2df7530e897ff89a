"""Which languages a vocabulary was learned from: those whose plain sentences it hardly cuts.

Only languages in which the playground has examples are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from foretext.tokenizers.base import Tokenizer

__all__ = ["languages_of_tokenizer", "languages_of_words"]


class _Language(NamedTuple):
    commonest: str
    sentence: str
    num_units: int  # words of the sentence; characters, where a language writes no blanks


_LANGUAGES = {
    "en": _Language("the", "he has lived here for three years, and this is the first time", 13),
    "zh": _Language("的", "这里的历史让我们发现这个国家", 14),
}
MOST_PIECES = 1.6  # of a word or character; one of another language falls into letters or bytes
MOST_UNKNOWN = 0.25  # share of pieces
MOST_FREQUENT = 100  # words, among which is the commonest one of the language


def languages_of_words(words: Sequence[str]) -> list[str]:
    """Return codes of languages whose commonest word is among the most frequent of `words`.

    Args:
        words: the most frequent first.
    """
    first = words[:MOST_FREQUENT]
    found = [code for code, language in _LANGUAGES.items() if language.commonest in first]
    return sorted(found, key=lambda code: first.index(_LANGUAGES[code].commonest))


def languages_of_tokenizer(tokenizer: Tokenizer) -> list[str]:
    """Return codes of languages whose words are tokens, or not many more; the best known first."""
    pieces = {code: _pieces(tokenizer, language) for code, language in _LANGUAGES.items()}
    return sorted((code for code in pieces if pieces[code] <= MOST_PIECES), key=pieces.__getitem__)


def _pieces(tokenizer: Tokenizer, language: _Language) -> float:
    """Return into how many pieces a word or character falls; infinity where many are unknown.

    The tokenizer of a tagger may get characters one by one, as the rows of its task have them.
    """
    sentence = language.sentence
    written = (sentence,) if " " in sentence else (sentence, " ".join(sentence))
    return min(_pieces_of(tokenizer, each, language.num_units) for each in written)


def _pieces_of(tokenizer: Tokenizer, sentence: str, num_units: int) -> float:
    """Return the pieces of a unit, unknown ones twice; infinity where many are unknown."""
    ids = tokenizer.encode(sentence)
    num_unknown = sum(index == tokenizer.special.unknown for index in ids)
    known = num_unknown <= MOST_UNKNOWN * len(ids)
    return (len(ids) + num_unknown) / num_units if known else inf
