"""Documents that repeat an earlier one exactly, by 64-bit hashes in bounded memory."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.findings import Duplicates, Place

__all__ = [
    "NEAR_GRAM",
    "NEAR_SIMILARITY",
    "Documents",
    "ExactDuplicates",
    "Examples",
    "document_digests",
]

# A document nearly repeats another one if the Jaccard index of their n-grams of words is so high.
NEAR_GRAM = 5  # words
NEAR_SIMILARITY = 0.8

_MOST_HASHES = 1 << 24  # of 8 bytes
_MOST_REMEMBERED = 200_000  # hashes that are searched for examples
_MOST_EXAMPLES = 5
_EXAMPLE = 80  # characters


class Documents(Protocol):
    """The documents of a part of a text."""

    def document(self, number: int) -> str:
        """Return the text of a document, by its number from 0."""
        ...

    def place(self, number: int) -> Place:
        """Return where it begins."""
        ...


def document_digests(documents: Iterable[str]) -> NDArray[np.uint64]:
    """Hash documents, (D,), each without the white space around it."""
    digests = (
        hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in documents
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


class Examples:
    """The first few repeated documents, with their places."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.places: list[Place] = []

    @property
    def are_enough(self) -> bool:
        """Whether no more are kept."""
        return len(self.texts) == _MOST_EXAMPLES

    def add(self, documents: Documents, number: int) -> None:
        """Keep the beginning of a document, if there are few yet and it is a new one."""
        if self.are_enough:
            return
        text = documents.document(number)[:_EXAMPLE].split("\n", 1)[0].strip()
        if text not in self.texts:
            self.texts.append(text)
            self.places.append(documents.place(number))

    def found(self, documents: int, duplicates: int) -> Duplicates:
        """Return the finding: `duplicates` of `documents` repeat another."""
        return Duplicates(
            documents=documents,
            duplicates=duplicates,
            rate=duplicates / max(documents, 1),
            examples=self.texts,
            places=self.places,
        )


class ExactDuplicates:
    """Counts documents that are equal except for white space around them.

    Of very many, those are counted whose hash is below a bound, which depends on all documents and
    not on their order.
    """

    def __init__(self, most_hashes: int = _MOST_HASHES) -> None:
        self._most_hashes = most_hashes
        self._hashes = array("Q")
        self._bound = 1 << 64
        self._remembered: set[int] = set()
        self._examples = Examples()

    def add(self, digests: NDArray[np.uint64], documents: Documents) -> None:
        """Count the next documents, by their hashes (D,)."""
        self._hashes.frombytes(self._below(digests).tobytes())
        while len(self._hashes) > self._most_hashes:
            self._halve()
        if not self._examples.are_enough:
            self._search(digests.tolist(), documents)

    def found(self) -> Duplicates:
        """Return the duplicates among the documents whose hashes were kept."""
        hashes = np.frombuffer(self._hashes, np.uint64)  # (documents,)
        hashes.sort()  # where they are, for a copy would take as much again
        repeated = int(np.count_nonzero(hashes[1:] == hashes[:-1]))
        return self._examples.found(len(hashes), repeated)

    def _search(self, digests: list[int], documents: Documents) -> None:
        for number, digest in enumerate(digests):
            if digest in self._remembered:
                self._examples.add(documents, number)
            elif len(self._remembered) < _MOST_REMEMBERED:
                self._remembered.add(digest)
        if self._examples.are_enough:
            self._remembered.clear()

    def _below(self, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return hashes if self._bound == 1 << 64 else hashes[hashes < np.uint64(self._bound)]

    def _halve(self) -> None:
        self._bound >>= 1
        hashes = np.frombuffer(self._hashes, np.uint64)
        kept = self._below(hashes)
        del hashes  # the view of what is let go of
        self._hashes = array("Q")
        self._hashes.frombytes(kept.view(np.uint8).data)
