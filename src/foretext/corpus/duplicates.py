"""Documents that repeat an earlier one exactly, by 64-bit hashes in bounded memory."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from foretext.corpus.findings import Duplicates, Place
from foretext.corpus.places import Locate

__all__ = ["Document", "ExactDuplicates", "Examples"]

_MOST_HASHES = 1 << 24  # of 8 bytes
_MOST_REMEMBERED = 200_000  # hashes that are searched for examples while reading
_MOST_EXAMPLES = 5
_EXAMPLE = 80  # characters


class Document(NamedTuple):
    """A document, its words, and the hash of its text."""

    text: str
    words: Sequence[str]
    digest: int  # 64 bits

    @classmethod
    def of(cls, text: str, words: Sequence[str]) -> Self:
        """Hash `text` without the white space around it."""
        digest = hashlib.blake2b(text.strip().encode(), digest_size=8).digest()
        return cls(text, words, int.from_bytes(digest, "little"))


class Examples:
    """The first few repeated documents, with their places."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.places: list[Place] = []

    def add(self, document: str, locate: Locate) -> None:
        """Keep the beginning of `document`, if there are few yet and it is a new one."""
        text = document[:_EXAMPLE].split("\n", 1)[0].strip()
        if len(self.texts) < _MOST_EXAMPLES and text not in self.texts:
            self.texts.append(text)
            self.places.append(locate(document))

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
    """Counts documents that are equal except for white space around them."""

    def __init__(self, most_hashes: int = _MOST_HASHES) -> None:
        self._most_hashes = most_hashes
        self._hashes = array("Q")
        self._bound = 1 << 64
        self._remembered: set[int] = set()
        self._examples = Examples()

    def add(self, document: Document, locate: Locate) -> None:
        """Count the next document."""
        if document.digest < self._bound:
            self._hashes.append(document.digest)
            if len(self._hashes) > self._most_hashes:
                self._halve()
        if document.digest in self._remembered:
            self._examples.add(document.text, locate)
        elif len(self._remembered) < _MOST_REMEMBERED:
            self._remembered.add(document.digest)

    def found(self) -> Duplicates:
        """Return the duplicates among the documents whose hashes were kept."""
        distinct = len(np.unique(np.frombuffer(self._hashes, np.uint64)))  # (documents,)
        return self._examples.found(len(self._hashes), len(self._hashes) - distinct)

    def _halve(self) -> None:
        self._bound >>= 1
        kept = np.array(self._hashes, np.uint64)
        self._hashes = array("Q", kept[kept < self._bound].tobytes())
