"""A corpus as one stream of ids with a separator after each document, and rows cut from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.data.token_file import ENTITY, WORD, TokenFile

__all__ = ["TokenStream", "Whereabouts"]


class Whereabouts(NamedTuple):
    """Where places of a stream are, each an array of their shape."""

    sentences: np.ndarray  # int64, their numbers; a separator is in the sentence before it
    documents: np.ndarray  # int64
    separators: np.ndarray  # bool


class TokenStream:
    """The ids of a `TokenFile`, with one separator after each document.

    Separators are inserted while reading, so that one file serves every objective.

    Args:
        tokens: the text.
        separator: id after each document.
    """

    def __init__(self, tokens: TokenFile, separator: int) -> None:
        self.ids, self.units = tokens.ids, tokens.units
        self.sentence_starts = tokens.sentence_starts
        self.separator = separator
        starts = tokens.document_starts
        self._starts = starts + np.arange(len(starts))  # in the stream; the last one is its length

    def __len__(self) -> int:
        return int(self._starts[-1])

    def take(self, places: np.ndarray) -> np.ndarray:
        """Return the ids at `places` of the stream, an int64 array of the same shape."""
        inner, separators = self._located(places)
        ids: np.ndarray = self.ids[inner].astype(np.int64)
        ids[separators] = self.separator
        return ids

    def take_units(self, places: np.ndarray) -> np.ndarray | None:
        """Return what the tokens at `places` begin, as bits; None: the text is not marked."""
        if self.units is None:
            return None
        inner, separators = self._located(places)
        units: np.ndarray = self.units[inner]
        units[separators] = WORD | ENTITY
        return units

    def whereabouts(self, places: np.ndarray) -> Whereabouts:
        """Return in which sentences and documents `places` are."""
        documents = np.searchsorted(self._starts, places, side="right") - 1
        separators = places == self._starts[documents + 1] - 1
        tokens = places - documents - separators  # a separator counts as the token before it
        sentences = np.searchsorted(self.sentence_starts, tokens, side="right") - 1
        return Whereabouts(sentences, documents, separators)

    def _located(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices into the ids, and which places are separators (their index is 0)."""
        documents = np.searchsorted(self._starts, places, side="right") - 1
        separators = places == self._starts[documents + 1] - 1
        return np.where(separators, 0, places - documents), separators

    def row_starts(self, length: int, rng: np.random.Generator, *, ahead: int = 0) -> np.ndarray:
        """Return the starts of consecutive rows of `length`, (N,) int64, from a random first one.

        With another first place each time, the model reads other parts of the same text. After each
        row, `ahead` more ids can be read.

        Args:
            length: ids of a row.
            rng: draws the first start.
            ahead: ids after each row that are read, too.
        """
        room = len(self) - ahead
        first = int(rng.integers(room % length + 1))
        return np.arange(first, room - length + 1, length, dtype=np.int64)
