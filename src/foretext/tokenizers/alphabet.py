"""The characters of words as ids: 0 for none, 1 for unknown ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["LONGEST", "Alphabet"]

LONGEST = 20  # characters of a word that are read: of a longer one the first and the last ten
UNKNOWN = 1
FIRST = 2  # id of the first known character


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
        return np.array(rows, np.int64).reshape(len(rows), LONGEST)

    def _row(self, word: str) -> NDArray[np.int64]:
        row = np.zeros(LONGEST, np.int64)
        half = LONGEST // 2
        read = word if len(word) <= LONGEST else word[:half] + word[-half:]
        row[: len(read)] = [self._ids.get(character, UNKNOWN) for character in read]
        return row
