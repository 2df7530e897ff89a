"""Documents that nearly repeat an earlier one: bands of MinHash signatures, then verified.

Locality-sensitive hashing (Leskovec, Rajaraman & Ullman, "Mining of Massive Datasets", section
3.4): two documents are compared if one of 14 bands of 8 numbers is the same in both, for which the
chance is 1 - (1 - s^8)^14 at the similarity s: 0.92 at 0.8, 0.999 at 0.9 and 0.05 at 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import OutputError
from foretext.base.files import open_file, output_error
from foretext.base.parsing import map_array, new_array
from foretext.cleaning.equal_keys import MOST_SORTED, equal_keys
from foretext.cleaning.signatures import BAND_ROWS, NUM_BANDS, NUM_PERMUTATIONS, jaccard
from foretext.corpus.duplicates import NEAR_SIMILARITY
from foretext.kernels.minhash import (
    EMPTY,
    LONGEST_CHAIN,
    NO_GROUP,
    band_keys,
    keep_document,
    next_candidates,
)

__all__ = ["DuplicateIndex", "NearDuplicate"]

Texts = Callable[[int], str]  # the text of the document with a number

_ERRORS = 4  # standard errors below the threshold from which an estimate says enough
_MOST_VERIFIED = 16  # texts that one is compared with, the most similar by estimate
_AT_ONCE = 1 << 20  # numbers that are in memory together


class NearDuplicate(NamedTuple):
    """A document that is to be dropped, and the earlier one that is kept in its place."""

    document: int
    twin: int
    similarity: float


class DuplicateIndex:
    """Finds near duplicates among documents that are added by their signatures.

    The documents are taken in the order of their numbers. One is dropped if it is similar enough to
    one that was kept, so that whatever is dropped has a twin in what is left. What is found depends
    on the documents and their numbers alone, not on the calls by which they were added.

    Args:
        folder: an empty one, where all is stored that there is of each document: 640 bytes. The
            caller removes it.
        threshold: least similarity of a duplicate: of the Jaccard index of the word 5-grams.
        most_sorted: keys that are sorted in memory together.
    """

    def __init__(
        self, folder: Path, threshold: float = NEAR_SIMILARITY, *, most_sorted: int = MOST_SORTED
    ) -> None:
        self.folder = folder
        self.threshold = threshold
        self.most_sorted = most_sorted
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(
        self, signatures: NDArray[np.uint32], numbers: Sequence[int] | NDArray[np.int64]
    ) -> None:
        """Add documents by their signatures (N, 112) and numbers (N,), no number twice.

        A document without words is left out: it is the twin of none.

        Raises:
            OutputError: the disk is full.
        """
        has_words = (signatures[:, :BAND_ROWS] != EMPTY).any(axis=1)
        signatures = np.ascontiguousarray(signatures if has_words.all() else signatures[has_words])
        keys = np.empty((NUM_BANDS, len(signatures)), np.uint64)
        band_keys(signatures, keys)
        try:
            _append(self._signature_file, signatures)
            for band in range(NUM_BANDS):
                _append(self._key_file(band), keys[band])
            _append(self._number_file, np.asarray(numbers, "<i8")[has_words])
        except OSError as error:
            raise output_error(self.folder, error) from error
        self._length += len(signatures)

    def found(self, texts: Texts | None = None) -> Iterator[NearDuplicate]:
        """Yield the duplicates in the order of their numbers; nothing can be added after.

        Args:
            texts: gives the text of a number, by which the similarity of what may be a duplicate is
                computed. None: it is estimated from the signatures, with a standard error of 0.04
                at 0.8.
        """
        if not len(self):
            return
        numbers = map_array(self._number_file, "<i8", len(self), OutputError)
        order = self._order(numbers)
        signatures = map_array(
            self._signature_file, "<u4", len(numbers) * NUM_PERMUTATIONS, OutputError
        )
        chains, heads = self._groups(len(numbers))
        candidates, equal = np.empty((2, NUM_BANDS * LONGEST_CHAIN), np.int64)
        least, place = self._least_equal(exact=texts is not None), 0
        state = (signatures, chains, heads, candidates, equal)
        while True:
            place, count = next_candidates(order, place, least, *state)
            if place == len(order):
                return
            document = int(order[place])
            similar = _best_first(candidates[:count], equal[:count], numbers)
            duplicate = self._verified(int(numbers[document]), similar, texts)
            if duplicate is None:
                keep_document(document, chains, heads)
            else:
                yield duplicate
            place += 1

    @property
    def _signature_file(self) -> Path:
        return self.folder / "signatures.bin"

    @property
    def _number_file(self) -> Path:
        return self.folder / "numbers.bin"

    def _key_file(self, band: int) -> Path:
        return self.folder / f"keys-{band}.bin"

    def _order(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the documents in the order of their numbers, (D,)."""
        order = new_array(self.folder / "order.bin", "<i8", len(numbers))
        parts = range(0, len(numbers), _AT_ONCE)
        if all((np.diff(numbers[at : at + _AT_ONCE + 1]) > 0).all() for at in parts):
            for at in parts:
                order[at : at + _AT_ONCE] = np.arange(at, min(at + _AT_ONCE, len(numbers)))
        else:
            order[:] = np.argsort(numbers)
        return order

    def _groups(self, length: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the group of each document in each band (B, D), and room for their heads (G,)."""
        groups = new_array(self.folder / "groups.bin", "<i4", NUM_BANDS * length)
        groups[:] = NO_GROUP
        groups = groups.reshape(NUM_BANDS, length)
        total = 0
        for band in range(NUM_BANDS):
            for part in equal_keys(self._key_file(band), length, self.most_sorted):
                groups[band, part.places] = part.groups + total
                total += part.num_groups
        heads = new_array(self.folder / "heads.bin", "<i4", total)
        heads[:] = NO_GROUP
        return groups, heads

    def _least_equal(self, *, exact: bool) -> int:
        """Return the numbers that a signature must have in common with one to be compared with."""
        t = self.threshold
        error = math.sqrt(t * (1 - t) / NUM_PERMUTATIONS) if exact else 0.0
        return max(math.ceil((t - _ERRORS * error) * NUM_PERMUTATIONS - 1e-9), 1)

    def _verified(
        self, number: int, similar: list[tuple[int, float]], texts: Texts | None
    ) -> NearDuplicate | None:
        """Return the document as a duplicate of the first one that is similar enough, if any is."""
        if texts is None:
            return NearDuplicate(number, *similar[0])
        text = texts(number)
        for twin, _ in similar[:_MOST_VERIFIED]:
            if (similarity := jaccard(text, texts(twin))) >= self.threshold:
                return NearDuplicate(number, twin, similarity)
        return None


def _best_first(
    candidates: NDArray[np.int64], equal: NDArray[np.int64], numbers: NDArray[np.int64]
) -> list[tuple[int, float]]:
    """Return numbers and estimated similarities, the most similar first, then the earliest."""
    twins = numbers[candidates]
    best = np.lexsort((twins, -equal))
    return [(int(twins[at]), float(equal[at]) / NUM_PERMUTATIONS) for at in best]


def _append(path: Path, array: NDArray[np.generic]) -> None:
    with open_file(path, "ab") as file:
        file.write(array.data)
