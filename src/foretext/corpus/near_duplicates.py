"""Documents that nearly repeat an earlier one, by sketches of their shingles (Broder 1997).

They are searched among sampled documents. A document is sampled by its least shingle hash, which
near duplicates mostly share, so that they are sampled together; independent samples would hardly
ever contain both of a pair. When there are too many, the bound on the least hash is halved.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from foretext.corpus.duplicates import Document, Examples
from foretext.corpus.findings import Duplicates
from foretext.corpus.places import Locate

__all__ = ["NearDuplicates"]

_SHINGLE = 4  # words
_FEWEST_WORDS = 16  # of a document; shorter ones are often alike
_SKETCH = 64  # hashes kept of a document
_MOST_SAMPLED = 4096  # documents
_MOST_WORDS = 1024  # of a document that count, the first ones
_ALIKE = 0.75  # Jaccard similarity of the shingles
_MOST_COMPARED = 16  # documents with the same least shingle hash
_MIXERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


@dataclass
class _Group:
    """Documents with the same least shingle hash."""

    sketches: dict[int, frozenset[int]] = field(default_factory=dict)  # digest -> least hashes
    documents: int = 0
    alike: int = 0  # of these, the number that nearly repeat an earlier one


class NearDuplicates:
    """Finds documents among sampled ones that share most of their four-word shingles."""

    def __init__(self, most_sampled: int = _MOST_SAMPLED) -> None:
        self._most_sampled = most_sampled
        self._bound = 1 << 64
        self._word_hashes = _WordHashes()
        self._groups: dict[int, _Group] = {}  # by the least shingle hash
        self._num_sketches = 0
        self._examples = Examples()

    def add(self, documents: Sequence[Document], locate: Locate) -> None:
        """Count the next documents."""
        long = [document for document in documents if len(document.words) >= _FEWEST_WORDS]
        if not long:
            return
        lengths = np.array([min(len(document.words), _MOST_WORDS) for document in long])
        ends = np.cumsum(lengths)  # (documents,)
        words = list(chain.from_iterable(document.words[:_MOST_WORDS] for document in long))
        shingles = self._shingles(words)  # (words,)
        shingles[np.add.outer(ends, np.arange(-_SHINGLE + 1, 0))] = ~np.uint64(0)  # spans two
        least = _scrambled(np.minimum.reduceat(shingles, ends - lengths))  # (documents,)
        for index in np.flatnonzero(least <= np.uint64(self._bound - 1)):
            own = shingles[ends[index] - lengths[index] : ends[index] - _SHINGLE + 1]
            if least[index] < self._bound:  # the bound may have been halved since
                self._sample(int(least[index]), own, long[index], locate)

    def found(self) -> Duplicates:
        """Return the number of sampled documents that nearly repeat an earlier one."""
        documents = sum(group.documents for group in self._groups.values())
        alike = sum(group.alike for group in self._groups.values())
        return self._examples.found(documents, alike)

    def _shingles(self, words: Sequence[str]) -> np.ndarray:
        hashes = np.fromiter(map(self._word_hashes.__getitem__, words), np.uint64, len(words))
        shingles = np.zeros(len(words), np.uint64)
        for offset in range(_SHINGLE):
            shingles[: len(words) - offset] += hashes[offset:] * _MIXERS[offset]
        return _scrambled(shingles)  # (words,)

    def _sample(self, least: int, shingles: np.ndarray, document: Document, locate: Locate) -> None:
        group = self._groups.setdefault(least, _Group())
        if document.digest in group.sketches:
            return  # an exact duplicate
        sketch = _sketch(shingles)
        group.documents += 1
        if any(_similarity(sketch, other) >= _ALIKE for other in group.sketches.values()):
            group.alike += 1
            self._examples.add(document.text, locate)
        if len(group.sketches) < _MOST_COMPARED:
            group.sketches[document.digest] = sketch
            self._num_sketches += 1
        while self._num_sketches > self._most_sampled:
            self._halve()

    def _halve(self) -> None:
        self._bound >>= 1
        self._groups = {least: each for least, each in self._groups.items() if least < self._bound}
        self._num_sketches = sum(len(group.sketches) for group in self._groups.values())


def _sketch(shingles: np.ndarray) -> frozenset[int]:
    return frozenset(np.unique(shingles)[:_SKETCH].tolist())


def _similarity(one: frozenset[int], other: frozenset[int]) -> float:
    """Jaccard similarity of two documents, estimated from the least hashes of the union."""
    least = sorted(one | other)[:_SKETCH]
    return sum(value in one and value in other for value in least) / len(least)


class _WordHashes(dict[str, int]):
    """32-bit hashes of words, remembered up to a limit."""

    def __missing__(self, word: str) -> int:
        if len(self) > 1 << 18:
            self.clear()
        value = self[word] = zlib.crc32(word.encode())
        return value


def _scrambled(values: np.ndarray) -> np.ndarray:
    """Mix 64-bit integers well (the finaliser of splitmix64; Steele et al. 2014)."""
    mixed: np.ndarray = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
