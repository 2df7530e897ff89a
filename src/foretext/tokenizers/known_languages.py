"""Which languages a vocabulary was learned from: those whose plain sentence it knows best.

The sentences are those of `EXAMPLE_TEXTS`: a language without examples is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf, log
from typing import NamedTuple

from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.example_texts import EXAMPLE_TEXTS

__all__ = ["languages_of_tokenizer", "languages_of_words"]

MOST_PIECES = 1.6  # of a word or character; one of another language falls into letters or bytes
MOST_UNKNOWN = 0.25  # share of pieces
MOST_FREQUENT = 10_000  # words, which those of another language are not among
LEAST_KNOWN = 0.7  # share of words, or of characters where words are not separated by blanks
LONGEST = 6  # characters of a word of such a language

_STOPS = re.compile(r"[.,;:!?'、。，؟،।]+")
_FIRST_IDEOGRAPH = "\u2e80"  # from here on a character says as much as a short word elsewhere


def languages_of_words(words: Sequence[str]) -> list[str]:
    """Return codes of languages whose frequent words are among those of `words`; the best first.

    Args:
        words: the most frequent first.
    """
    ranks = {word: rank for rank, word in reversed([*enumerate(words[:MOST_FREQUENT], 1)])}
    found = {code: _known(text.text, ranks) for code, text in EXAMPLE_TEXTS.items()}
    enough = [code for code, known in found.items() if known.share >= LEAST_KNOWN]
    return sorted(enough, key=lambda code: (-found[code].share, found[code].rank))


def languages_of_tokenizer(tokenizer: Tokenizer) -> list[str]:
    """Return codes of languages whose words are tokens, or not many more; the best known first.

    Of languages that it knows as well as English, as a vocabulary of many, English is the first.
    """
    pieces = {code: _pieces(tokenizer, text.text) for code, text in EXAMPLE_TEXTS.items()}
    return sorted((code for code in pieces if pieces[code] <= MOST_PIECES), key=pieces.__getitem__)


class _Known(NamedTuple):
    share: float  # of the words of a sentence
    rank: float  # mean logarithm of the ranks of these


def _known(sentence: str, ranks: dict[str, int]) -> _Known:
    """Return how much of a sentence is words with a rank."""
    words = _STOPS.sub(" ", sentence).split()
    parts = [part for word in words for part in _parts(word, ranks)]
    found = [(len(part), log(ranks[part])) for part in parts if part in ranks]
    weights = [size if _is_written_closely(sentence) else 1 for size, _ in found]
    size = _size(words)
    return _Known(sum(weights) / size, sum(rank for _, rank in found) / max(len(found), 1))


def _parts(word: str, ranks: dict[str, int]) -> list[str]:
    """Return a word as the vocabulary writes it, or the longest known words of closely written."""
    if not _is_written_closely(word):
        return [word if word in ranks else word.lower()]
    parts = []
    while word:
        ends = range(min(LONGEST, len(word)), 0, -1)
        part = next((word[:end] for end in ends if word[:end] in ranks), word[0])
        parts.append(part)
        word = word[len(part) :]
    return parts


def _pieces(tokenizer: Tokenizer, sentence: str) -> float:
    """Return into how many pieces a word or character falls; infinity where many are unknown.

    The tokenizer of a tagger may get characters one by one, as the rows of its task have them.
    """
    words = _STOPS.sub(" ", sentence).split()
    plain = " ".join(words)
    written = [plain, plain.lower()]
    if _is_written_closely(sentence):
        written += ["".join(words), " ".join("".join(words))]
    return max(1.0, min(_pieces_of(tokenizer, each, _size(words)) for each in written))


def _pieces_of(tokenizer: Tokenizer, sentence: str, num_units: int) -> float:
    """Return the pieces of a unit, unknown ones twice; infinity where many are unknown."""
    ids = tokenizer.encode(sentence)
    num_unknown = sum(index == tokenizer.special.unknown for index in ids)
    known = num_unknown <= MOST_UNKNOWN * len(ids)
    return (len(ids) + num_unknown) / num_units if known else inf


def _size(words: Sequence[str]) -> int:
    """Return the number of words; of characters, where these say as much."""
    return sum(len(word) if _is_written_closely(word) else 1 for word in words)


def _is_written_closely(text: str) -> bool:
    return text[0] >= _FIRST_IDEOGRAPH
