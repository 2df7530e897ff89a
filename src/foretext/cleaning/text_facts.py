"""What the quality rules look at: the lines and words of a document.

A word stands between blanks. Where most letters belong to a script without blanks between words,
each character of such a script counts as a word, and so does each run of other characters.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["TextFacts", "is_dense"]

_DENSE = "\u0e00-\u0eff\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_DENSE_LETTER = re.compile(f"[{_DENSE}]")
_DENSE_WORD = re.compile(f"[{_DENSE}]|[^\\s{_DENSE}]+")
_LETTER = re.compile(r"[^\W\d_]")
FEW_WORDS = 200  # longer texts nearly always repeat a pair of words
_SAMPLE = 4096  # characters that show whether words stand between blanks


def is_dense(text: str) -> bool:
    """Whether most letters of the beginning belong to scripts without blanks between words."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return False
    return 2 * len(_DENSE_LETTER.findall(sample)) > len(_LETTER.findall(sample))


class TextFacts:
    """A document, cut into lines and words.

    Attributes:
        text: the document, its lines separated by line ends.
        language: of the document (ISO 639-1), as far as it was determined.
        is_dense: whether a character stands for a word, as in Chinese.
        lines: those that are not empty, without white space at their ends.
    """

    def __init__(self, text: str, language: str = "und") -> None:
        self.text = text
        self.language = language
        self.is_dense = is_dense(text)
        self.lines = [line for line in map(str.strip, text.split("\n")) if line]

    @cached_property
    def words(self) -> list[str]:
        """All words, with the punctuation that stands at them."""
        return _DENSE_WORD.findall(self.text) if self.is_dense else self.text.split()

    @cached_property
    def word_lengths(self) -> NDArray[np.int64]:
        """(W,) characters of each word."""
        return np.fromiter(map(len, self.words), np.int64, len(self.words))

    @cached_property
    def word_ids(self) -> NDArray[np.int64]:
        """(W,) a number for each word, the same for the same word."""
        numbers: dict[str, int] = {}
        each = (numbers.setdefault(word, len(numbers)) for word in self.words)
        return np.fromiter(each, np.int64, len(self.words))

    @cached_property
    def repeats_no_pair(self) -> bool:
        """Whether a short text surely has no two words that stand side by side twice."""
        words = self.words
        return len(words) <= FEW_WORDS and len(set(pairwise(words))) >= len(words) - 1

    def share_of_lines(self, number: int) -> float:
        """Return `number` as a share of the lines."""
        return number / max(len(self.lines), 1)
