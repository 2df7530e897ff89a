"""A text cut into slices of whole sentences: the unit that is dealt to workers and resumed at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foretext.data.token_file import TokenFile

__all__ = ["Slices", "deal"]

SLICE_TOKENS = 1 << 16  # some twenty milliseconds of work
FEWEST_SLICES = 64  # in a small text, so that the loss has a curve and two workers have work
SMALLEST_SLICE = 256
DEALT_PARTS = 1024


@dataclass(frozen=True)
class Slices:
    """The sentences of a token file, none longer than the kernels take, and where slices begin."""

    sentence_starts: np.ndarray  # (S + 1,) int64, counted in the order of learning
    firsts: np.ndarray  # (slices + 1,) int64, indices into sentence_starts
    places: np.ndarray  # (S,) int64, where each sentence begins in the text

    @classmethod
    def of(cls, tokens: TokenFile, longest: int) -> Slices:
        """Cut sentences over `longest` tokens, then cut the text at sentence starts."""
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest)
        return cls._cut(starts, starts[:-1])

    @classmethod
    def dealt(cls, tokens: TokenFile, longest: int, num_parts: int = DEALT_PARTS) -> Slices:
        """Take a sentence from each of many parts of the text in turn, then cut as `of` does.

        What stands together in a text is about the same thing, and learned in one go it pulls its
        words to and fro. Each part is still read from its beginning to its end, so that a text
        larger than the memory streams from disk.
        """
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest)
        order = deal(len(starts) - 1, num_parts)
        lengths = np.diff(starts)[order]
        return cls._cut(np.insert(np.cumsum(lengths), 0, 0), starts[order])

    @classmethod
    def of_starts(cls, starts: np.ndarray) -> Slices:
        """Cut texts, (S + 1,) of which the last is their end, that kernels take at any length."""
        return cls._cut(starts, starts[:-1])

    @classmethod
    def _cut(cls, starts: np.ndarray, places: np.ndarray) -> Slices:
        total = int(starts[-1])
        size = max(min(SLICE_TOKENS, total // FEWEST_SLICES), SMALLEST_SLICE)
        wanted = np.arange(0, total, size)
        firsts = np.unique(np.searchsorted(starts, wanted))
        firsts = firsts[firsts < len(starts) - 1]
        return cls(starts, np.append(firsts, len(starts) - 1), places)

    def __len__(self) -> int:
        return len(self.firsts) - 1

    @property
    def num_tokens(self) -> int:
        """Tokens of the whole text."""
        return int(self.sentence_starts[-1])

    def tokens_before(self, slice_index: int) -> int:
        """Tokens that stand before the slice of this number."""
        return int(self.sentence_starts[self.firsts[slice_index]])


def cut_sentences(starts: np.ndarray, longest: int) -> np.ndarray:
    """Return sentence starts with more of them, so that no sentence is over `longest` tokens."""
    pieces = -(-np.diff(starts) // longest)  # (S,)
    if pieces.max(initial=0) <= 1:
        return starts
    first = np.repeat(starts[:-1], pieces)
    number = np.arange(len(first)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.append(first + number * longest, starts[-1])


def deal(size: int, num_parts: int) -> np.ndarray:
    """Return 0 ... size - 1 as cards are taken in turn from `num_parts` piles: 0 3 1 4 2 5 of 2."""
    num_parts = max(min(num_parts, size), 1)
    bounds = size * np.arange(num_parts + 1) // num_parts
    part = np.repeat(np.arange(num_parts), np.diff(bounds))
    return np.argsort((np.arange(size) - bounds[part]) * num_parts + part)
