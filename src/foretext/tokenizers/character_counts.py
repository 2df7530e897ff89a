"""How often each character stands in a text."""

from __future__ import annotations

import numpy as np

__all__ = ["CharacterCounts"]

NUM_CODE_POINTS = 0x110000


class CharacterCounts:
    """Counts of all characters but blanks and line feeds."""

    def __init__(self) -> None:
        self._counts = np.zeros(NUM_CODE_POINTS, np.int64)

    def add(self, text: str) -> None:
        """Count the characters of a text."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = np.bincount(points)
        self._counts[: len(found)] += found
        self._counts[[ord(" "), ord("\n")]] = 0

    def __len__(self) -> int:
        """Return the number of different characters."""
        return int(np.count_nonzero(self._counts))

    def rarest(self, number: int) -> str:
        """Return so many of the rarest characters; of equally rare ones those that come last."""
        met = np.flatnonzero(self._counts)
        by_count = met[np.argsort(-self._counts[met], kind="stable")]
        return "".join(map(chr, by_count[len(by_count) - min(number, len(by_count)) :].tolist()))
