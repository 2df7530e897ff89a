"""MinHash signatures of documents, over n-grams of words or, where no blanks are, of characters.

A word is a run of letters, digits and marks, lower-cased; punctuation and white space do not count.
Each character of a script that puts no blanks between words is a word, so a text of both kinds
needs no setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.duplicates import NEAR_GRAM
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.word_table import new_scratch
from foretext.kernels.letters import ALONE, WORD, Letters, split_words
from foretext.kernels.minhash import gram_hashes, minhash, word_hashes

__all__ = [
    "NUM_PERMUTATIONS",
    "Words",
    "hash_words",
    "jaccard",
    "permutations",
    "signatures",
    "split_text",
]

NUM_BANDS, BAND_ROWS = 14, 8
NUM_PERMUTATIONS = NUM_BANDS * BAND_ROWS

_BATCH = 1 << 20  # characters whose hashes are in memory together
_SEED = 20
_WITHOUT_BLANKS = [  # first and last code point: Thai to Myanmar, Khmer, kana
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3041, 0x30FF),
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9D),
]


class Words(NamedTuple):
    """The hashes of the words of some documents, one document after another."""

    hashes: NDArray[np.uint64]  # (W,)
    starts: NDArray[np.int64]  # (D + 1,)

    def grams(self, n: int) -> Words:
        """Return the hashes of the n-grams in place of those of the words.

        A document with fewer words has one n-gram, all its words; one without words has none.
        """
        found = np.empty_like(self.hashes)
        starts = np.empty_like(self.starts)
        gram_hashes(self.hashes, self.starts, n, found, starts)
        return Words(found[: starts[-1]], starts)


def signatures(texts: Sequence[str]) -> NDArray[np.uint32]:
    """Return (N, 112) uint32, the same for a text whichever other texts are given with it.

    The share of equal numbers in two rows estimates the Jaccard similarity of the word 5-grams of
    two texts. All numbers of a text without words are 2^32 - 1.
    """
    found = np.empty((len(texts), NUM_PERMUTATIONS), np.uint32)
    multipliers, increments = permutations()
    first = 0
    while first < len(texts):
        last = _batch_end(texts, first)
        grams = hash_words(texts[first:last]).grams(NEAR_GRAM)
        minhash(*grams, multipliers, increments, found[first:last])
        first = last
    return found


def hash_words(texts: Sequence[str]) -> Words:
    """Return the hashes of all words of `texts`."""
    encoded = [_utf8(text) for text in texts]
    data = np.frombuffer(b"".join(encoded), np.uint8)
    text_starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(each) for each in encoded], out=text_starts[1:])
    found = np.empty(data.size // 2 + 1, np.uint64)
    starts = np.empty(len(texts) + 1, np.int64)
    word_hashes(data, text_starts, _letters(), new_scratch(), found, starts)
    return Words(found[: starts[-1]], starts)


def jaccard(text: str, other: str) -> float:
    """Return the 5-grams that two texts share, divided by those that either of them has.

    0.0 where neither has a word.
    """
    grams, starts = hash_words([text, other]).grams(NEAR_GRAM)
    both = len(np.unique(grams[: starts[1]])) + len(np.unique(grams[starts[1] :]))
    either = len(np.unique(grams))
    return (both - either) / max(either, 1)


def split_text(text: str) -> list[str]:
    """Return the words of a text, those whose hashes `hash_words` gives."""
    data = np.frombuffer(_utf8(text), np.uint8)
    words = np.empty(2 * data.size, np.uint8)
    written = split_words(data, _letters(), new_scratch(data.size // 4 * 8 + 8), words)
    return words[:written].tobytes().decode().split("\n")[:-1]


def _batch_end(texts: Sequence[str], first: int) -> int:
    """Return where the batch that begins at `first` ends: one text, or about `_BATCH` of them."""
    length, last = 0, first
    while last < len(texts) and length < _BATCH:
        length += len(texts[last])
        last += 1
    return last


def _utf8(text: str) -> bytes:
    """Encode a text and a newline; half of a surrogate pair becomes ``?``."""
    text = text.replace("İ", "i\u0307")  # the only one with a lower case of two characters
    return f"{text}\n".encode("utf-8", "replace")


@cache
def _letters() -> Letters:
    """Return the tables in which each character of a script without blanks is a word."""
    letters = PreTokenizer("chinese_characters").letters
    classes = letters.classes.copy()
    for first, last in _WITHOUT_BLANKS:
        part = classes[first : last + 1]
        part[part == WORD] = ALONE
    return letters._replace(classes=classes)


@cache
def permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the odd factors and the summands of all permutations, (112,) each."""
    drawn = np.random.Generator(np.random.PCG64(_SEED)).integers(
        1 << 32, size=(2, NUM_PERMUTATIONS), dtype=np.uint32
    )
    return drawn[0] | np.uint32(1), drawn[1]
