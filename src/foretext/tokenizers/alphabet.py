"""The characters of words as ids: 0 for none, 1 for unknown ones.

The spelling of words as bytes of UTF-8: any word of any script, without an alphabet to learn. The
characters of ELMo's words are bytes too (Peters et al. 2018, by its published program).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.messages import commas, message

__all__ = [
    "LONGEST_SPELLING",
    "LONGEST_WORD",
    "NUM_BYTES",
    "Alphabet",
    "folding_sentence",
    "spelled",
]

LONGEST_WORD = 20  # characters of a word that are read: of a longer one the first and the last ten
UNKNOWN = 1
FIRST = 2  # id of the first known character

NUM_BYTES = 256  # ids; 0 stands for none
LONGEST_SPELLING = 50  # bytes of a word that are read, with its marks: of a longer one both ends
BEGIN, END = b"\xfe", b"\xff"  # marks around a word; no byte of UTF-8 has these values


class Alphabet:
    """Ids of characters, the most frequent first.

    Args:
        characters: the known ones, each once.
    """

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._ids = {character: place for place, character in enumerate(characters, FIRST)}

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """Return the alphabet of some words."""
        counts = Counter[str]()
        for word in words:
            counts.update(word)
        return cls("".join(sorted(counts, key=lambda character: (-counts[character], character))))

    @property
    def num_ids(self) -> int:
        """One more than the largest id."""
        return FIRST + len(self.characters)

    def spelled(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the ids of each word's characters, (T, K), 0 after the end of a word."""
        rows = [self._row(word) for word in words]
        return np.array(rows, np.int64).reshape(len(rows), LONGEST_WORD)

    def _row(self, word: str) -> NDArray[np.int64]:
        row = np.zeros(LONGEST_WORD, np.int64)
        half = LONGEST_WORD // 2
        read = word if len(word) <= LONGEST_WORD else word[:half] + word[-half:]
        row[: len(read)] = [self._ids.get(character, UNKNOWN) for character in read]
        return row


def folding_sentence(tokenizer: Mapping[str, Any], normalization: str) -> str:
    """Return what becomes of case, accents and width.

    Args:
        tokenizer: settings of the section `[tokenizer]`.
        normalization: of the section `[corpus]`.
    """
    case = {True: "lower", False: "differ", "auto": "auto"}[tokenizer.get("lowercase", False)]
    accents = "no_accents" if tokenizer.get("strip_accents", False) else "accents"
    return commas(message(f"findings.folding.{each}") for each in (case, accents, normalization))


def spelled(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the bytes of each word between marks, (N, K), 0 behind its end."""
    table = np.zeros((len(words), LONGEST_SPELLING), np.uint8)
    for row, word in zip(table, words, strict=True):
        marked = _marked(word)
        row[: len(marked)] = np.frombuffer(marked, np.uint8)
    return table


def written(row: NDArray[np.uint8]) -> str:
    """Return the word that a row of `spelled` spells, or as much of a long one as is there."""
    return row.tobytes().rstrip(b"\0")[len(BEGIN) : -len(END)].decode("utf-8", "replace")


def _marked(word: str) -> bytes:
    found, room = word.encode("utf-8", "replace"), LONGEST_SPELLING - 2
    if len(found) > room:
        found = found[: room // 2] + found[-(room // 2) :]
    return BEGIN + found + END
