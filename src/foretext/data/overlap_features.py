"""How many words and characters two texts share, as in the paraphrases of Wan et al. 2006."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.decoding import Form
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind, likely_kind

__all__ = ["NUM_OVERLAP_FEATURES", "OverlapFeatures", "overlap_features"]

_SAMPLE = 1 << 16  # characters that the script is found from
_WORD_GRAMS = (1, 2, 3)
_CHARACTER_GRAMS = (2, 3, 4)
NUM_OVERLAP_FEATURES = 2 * len(_WORD_GRAMS + _CHARACTER_GRAMS) + 4  # F, as below


class OverlapFeatures:
    """The features of pairs of texts.

    Args:
        kind: what a word is.
        edition: of its rules; None: the newest.
        form: the Unicode normal form that texts are brought into.
    """

    def __init__(
        self, kind: PreTokenizerKind, edition: int | None = None, form: Form = "NFC"
    ) -> None:
        self.pre_tokenizer = PreTokenizer(kind, lowercase=True, form=form, edition=edition)

    @classmethod
    def for_texts(cls, pairs: Sequence[tuple[str, str]]) -> Self:
        """Return those whose words suit the script of some pairs."""
        return cls(likely_kind("\n".join(text for pair in pairs for text in pair)[:_SAMPLE]))

    @property
    def kind(self) -> PreTokenizerKind:
        """What a word is."""
        return self.pre_tokenizer.kind

    @property
    def edition(self) -> int:
        """Of its rules."""
        return self.pre_tokenizer.edition

    def words(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.pre_tokenizer.words(text)

    def matrix(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the features of N pairs, (N, F)."""
        words = self.words
        found = [overlap_features(words(a), words(b)) for a, b in pairs]
        return np.array(found, np.float64).reshape(len(pairs), NUM_OVERLAP_FEATURES)


def overlap_features(first: Sequence[str], second: Sequence[str]) -> list[float]:
    """Return shares that do not depend on which of two texts, as words, comes first.

    Of words, pairs and triples of words, and 2, 3 and 4 characters: those in both texts, of those
    in the shorter and in the longer text. Then the difference of lengths, and the same shares of
    words with a digit: texts about other numbers are seldom alike.
    """
    features: list[float] = []
    for n in _WORD_GRAMS:
        features += _shares(*(_word_grams(words, n) for words in (first, second)))
    texts = " ".join(first), " ".join(second)
    for n in _CHARACTER_GRAMS:
        features += _shares(*(_character_grams(text, n) for text in texts))
    shorter, longer = sorted((len(first), len(second)))
    features += [(longer - shorter) / max(longer, 1), math.log1p(longer - shorter)]
    numbers = (Counter(word for word in text if _has_digit(word)) for text in (first, second))
    return features + _shares(*numbers)


def _shares(first: Counter[Any], second: Counter[Any]) -> list[float]:
    """What both have, of the smaller and of the larger; all of nothing is 1."""
    common = (first & second).total()
    smaller, larger = sorted((first.total(), second.total()))
    return [common / size if size else float(size == larger) for size in (smaller, larger)]


def _word_grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _character_grams(text: str, n: int) -> Counter[str]:
    return Counter([text[start : start + n] for start in range(len(text) - n + 1)])


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
