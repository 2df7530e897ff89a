"""Sketches of documents: the least hashes of their shingles, five words each (Broder 1997).

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

from foretext.corpus.duplicates import NEAR_GRAM
from foretext.kernels.sketches import sketch_documents

__all__ = ["MOST_COMPARED", "MOST_SAMPLED", "SKETCH", "Sketches", "Sketching"]

FEWEST_WORDS = 16  # of a document; shorter ones are often alike
MOST_WORDS = 1024  # of a document that count, the first ones
MOST_SAMPLED = 4096  # documents
MOST_COMPARED = 16  # documents with the same least shingle hash
SKETCH = 64  # hashes kept of a document


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
        firsts, digests = starts[numbers], digests[numbers]
        least, hashes = _sketched(words, firsts, np.minimum(ends[numbers], firsts + MOST_WORDS))
        for at, number in enumerate(numbers.tolist()):
            if (value := int(least[at])) < self._bound:
                self._keep(first + number, value, int(digests[at]), hashes[at].copy())

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

    def _keep(self, number: int, least: int, digest: int, hashes: NDArray[np.uint64]) -> None:
        if digest in self._seen:
            return  # an exact duplicate
        self._seen.add(digest)
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


def _sketched(
    words: NDArray[np.uint64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the least hash (D,) and the sketch (D, SKETCH) of each document."""
    least, hashes = np.empty(len(starts), np.uint64), np.empty(len(starts) * SKETCH, np.uint64)
    sketch_documents(words, starts, ends, NEAR_GRAM, SKETCH, least, hashes)
    return least, hashes.reshape(-1, SKETCH)
