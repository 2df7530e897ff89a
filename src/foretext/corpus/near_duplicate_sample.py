"""Documents that nearly repeat an earlier one, by sketches of their shingles (Broder 1997).

They are searched among sampled documents. A document is sampled by its least shingle hash, which
near duplicates mostly share, so that they are sampled together; independent samples would hardly
ever contain both of a pair. When there are too many, the bound on the least hash is halved.

What nearly repeats another document is said by `foretext.corpus.duplicates`, for `clean` too, which
looks at all documents. Here the similarity is estimated from 64 hashes, with a standard error of
0.05 at 0.8.

Sketches come part by part, in the order of the text, so that who made them changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.duplicates import NEAR_SIMILARITY, Documents, Examples
from foretext.corpus.findings import Duplicates
from foretext.corpus.sketches import MOST_COMPARED, MOST_SAMPLED, SKETCH, Sketches
from foretext.kernels.sketches import NO_HASH

__all__ = ["NearDuplicates"]


@dataclass
class _Group:
    """Documents with the same least shingle hash."""

    sketches: dict[int, NDArray[np.uint64]] = field(default_factory=dict)  # digest -> (SKETCH,)
    documents: int = 0
    alike: int = 0  # of these, the number that nearly repeat an earlier one


class NearDuplicates:
    """Finds documents among sampled ones that share most of their five-word shingles."""

    def __init__(self, most_sampled: int = MOST_SAMPLED) -> None:
        self._most_sampled = most_sampled
        self._halvings = 0
        self._bound = 1 << 64
        self._groups: dict[int, _Group] = {}  # by the least shingle hash
        self._num_sketches = 0
        self._examples = Examples()

    def add(self, sketches: Sketches, documents: Documents) -> None:
        """Count the next part's documents."""
        while self._halvings < sketches.halvings:  # above that the part lacks some
            self._halve()
        rows = zip(sketches.least.tolist(), sketches.digests.tolist(), strict=True)
        for at, (least, digest) in enumerate(rows):
            if least < self._bound:
                number = int(sketches.numbers[at])
                self._sample(least, digest, sketches.hashes[at], documents, number)

    def found(self) -> Duplicates:
        """Return the number of sampled documents that nearly repeat an earlier one."""
        documents = sum(group.documents for group in self._groups.values())
        alike = sum(group.alike for group in self._groups.values())
        return self._examples.found(documents, alike)

    def _sample(
        self,
        least: int,
        digest: int,
        sketch: NDArray[np.uint64],
        documents: Documents,
        number: int,
    ) -> None:
        group = self._groups.setdefault(least, _Group())
        if digest in group.sketches:
            return  # an exact duplicate
        group.documents += 1
        if any(_similarity(sketch, other) >= NEAR_SIMILARITY for other in group.sketches.values()):
            group.alike += 1
            self._examples.add(documents, number)
        if len(group.sketches) < MOST_COMPARED:
            group.sketches[digest] = sketch.copy()
            self._num_sketches += 1
        while self._num_sketches > self._most_sampled:
            self._halve()

    def _halve(self) -> None:
        self._halvings += 1
        self._bound >>= 1
        self._groups = {least: each for least, each in self._groups.items() if least < self._bound}
        self._num_sketches = sum(len(group.sketches) for group in self._groups.values())


def _similarity(one_sketch: NDArray[np.uint64], other_sketch: NDArray[np.uint64]) -> float:
    """Jaccard similarity of two documents, estimated from the least hashes of the union."""
    one, other = ({*each.tolist()} - {int(NO_HASH)} for each in (one_sketch, other_sketch))
    least = sorted(one | other)[:SKETCH]
    return sum(value in one and value in other for value in least) / len(least)
