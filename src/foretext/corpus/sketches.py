"""Sketches of documents: the least hashes of their shingles, four words each (Broder 1997).

A document is known by its least shingle hash, which near duplicates mostly share. Of a part of a
text no more documents are sketched than `MOST_SAMPLED`: those whose least hash is below a bound,
which is halved whenever there are too many. The bound of a part is never below that of a whole
text, so that parts lack nothing that the whole needs.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_COMPARED", "MOST_SAMPLED", "NO_HASH", "SKETCH", "Sketches", "Sketching"]

FEWEST_WORDS = 16  # of a document; shorter ones are often alike
MOST_WORDS = 1024  # of a document that count, the first ones
MOST_SAMPLED = 4096  # documents
MOST_COMPARED = 16  # documents with the same least shingle hash
SKETCH = 64  # hashes kept of a document
SHINGLE = 4  # words
NO_HASH = ~np.uint64(0)  # fills a short sketch up
MIXERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


class Sketches(NamedTuple):
    """Some documents of a part, in order; no text is there twice."""

    numbers: NDArray[np.int64]  # (S,) in the part
    least: NDArray[np.uint64]  # (S,) least shingle hashes
    digests: NDArray[np.uint64]  # (S,) of the texts
    hashes: NDArray[np.uint64]  # (S, SKETCH) ascending, filled up with `NO_HASH`
    halvings: int  # how often the bound was halved, from 2 ** 64


class Sketching:
    """Sketches the documents of one part."""

    def __init__(self, most_sampled: int = MOST_SAMPLED) -> None:
        self._most_sampled = most_sampled
        self._halvings = 0
        self._bound = 1 << 64
        self._num_documents = 0
        self._rows: list[tuple[int, int, int, NDArray[np.uint64]]] = []  # as in `Sketches`
        self._seen: set[int] = set()  # digests
        self._groups: Counter[int] = Counter()  # documents by their least hash
        self._num_compared = 0  # of each group as many as are compared

    def add(
        self, words: NDArray[np.uint64], ends: NDArray[np.int64], digests: NDArray[np.uint64]
    ) -> None:
        """Sketch the next documents.

        Args:
            words: hashes of all words, (N,).
            ends: (D,), where each document ends in `words`.
            digests: of the texts, (D,).
        """
        first = self._num_documents
        self._num_documents += len(ends)
        starts = np.append(0, ends[:-1])
        numbers = np.flatnonzero(ends - starts >= FEWEST_WORDS)
        if not len(numbers):
            return
        lengths = np.minimum(ends - starts, MOST_WORDS)[numbers]
        last = np.cumsum(lengths)
        places = np.repeat(starts[numbers] - (last - lengths), lengths) + np.arange(last[-1])
        shingles = _shingles(words[places])
        shingles[np.add.outer(last, np.arange(-SHINGLE + 1, 0))] = NO_HASH  # spans two
        least = _scrambled(np.minimum.reduceat(shingles, last - lengths)).tolist()
        for at, number in enumerate(numbers.tolist()):
            if least[at] < self._bound:
                own = shingles[last[at] - lengths[at] : last[at] - SHINGLE + 1]
                self._keep(first + number, least[at], int(digests[number]), own)

    def found(self) -> Sketches:
        """Return the sketches of the documents below the bound."""
        numbers, least, digests, hashes = zip(*self._rows, strict=True) if self._rows else [()] * 4
        return Sketches(
            np.array(numbers, np.int64),
            np.array(least, np.uint64),
            np.array(digests, np.uint64),
            np.array(hashes, np.uint64).reshape(-1, SKETCH),
            self._halvings,
        )

    def _keep(self, number: int, least: int, digest: int, shingles: NDArray[np.uint64]) -> None:
        if digest in self._seen:
            return  # an exact duplicate
        self._seen.add(digest)
        hashes = np.full(SKETCH, NO_HASH)
        distinct = np.unique(shingles)[:SKETCH]
        hashes[: len(distinct)] = distinct
        self._rows.append((number, least, digest, hashes))
        self._groups[least] += 1
        self._num_compared += self._groups[least] <= MOST_COMPARED
        while self._num_compared > self._most_sampled:
            self._halve()

    def _halve(self) -> None:
        self._halvings += 1
        self._bound >>= 1
        self._rows = [row for row in self._rows if row[1] < self._bound]
        self._groups = Counter(row[1] for row in self._rows)
        self._num_compared = sum(min(size, MOST_COMPARED) for size in self._groups.values())


def _shingles(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    sums = np.zeros(len(words), np.uint64)
    for offset in range(SHINGLE):
        sums[: len(words) - offset] += words[offset:] * MIXERS[offset]
    return _scrambled(sums)  # (N,), the last ones of fewer words


def _scrambled(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix 64-bit integers well (the finaliser of splitmix64; Steele et al. 2014)."""
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
