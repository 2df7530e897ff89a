"""A text cut into slices of whole sentences: the unit that is dealt to workers and resumed at.

A large text has more sentences than there is room for two numbers of each. What is not in the files
of the text is then written to a file that is mapped; training reads it from its beginning to its
end, as it does the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from foretext.base.parsing import temporary_array
from foretext.data.token_file import TokenFile

__all__ = ["Slices", "deal"]

SLICE_TOKENS = 1 << 16  # some twenty milliseconds of work
FEWEST_SLICES = 64  # in a small text, so that the loss has a curve and two workers have work
SMALLEST_SLICE = 256
DEALT_PARTS = 1024
AT_ONCE = 1 << 18  # sentences whose numbers are computed together
MOST_IN_MEMORY = 1 << 21  # numbers of an array; a longer one is in a file

Room = Callable[[int], np.ndarray]  # from a length to an array of int64


@dataclass(frozen=True)
class Slices:
    """The sentences of a token file, none longer than the kernels take, and where slices begin."""

    sentence_starts: np.ndarray  # (S + 1,) int64, counted in the order of learning
    firsts: np.ndarray  # (slices + 1,) int64, indices into sentence_starts
    places: np.ndarray  # (S,) int64, where each sentence begins in the text

    @classmethod
    def of(cls, tokens: TokenFile, longest: int) -> Slices:
        """Cut sentences over `longest` tokens, then cut the text at sentence starts."""
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest, partial(_room, tokens))
        return cls._cut(starts, starts[:-1])

    @classmethod
    def dealt(cls, tokens: TokenFile, longest: int, num_parts: int = DEALT_PARTS) -> Slices:
        """Take a sentence from each of many parts of the text in turn, then cut as `of` does.

        What stands together in a text is about the same thing, and learned in one go it pulls its
        words to and fro. Each part is still read from its beginning to its end, so that a text
        larger than the memory streams from disk.
        """
        room = partial(_room, tokens)
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest, room)
        size = len(starts) - 1
        before, places = room(size + 1), room(size)
        before[0] = 0
        for first, last in _parts(size):
            order = _dealt(np.arange(first, last), size, num_parts)
            places[first:last] = starts[order]
            lengths = starts[order + 1] - places[first:last]
            before[first + 1 : last + 1] = before[first] + np.cumsum(lengths)
        return cls._cut(before, places)

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


def cut_sentences(starts: np.ndarray, longest: int, room: Room | None = None) -> np.ndarray:
    """Return sentence starts with more of them, so that no sentence is over `longest` tokens.

    Args:
        starts: (S + 1,) of sentences; the last one is their end.
        longest: tokens.
        room: where what is returned is written to, if anything is cut; None: memory.
    """
    size = sum(int(_pieces(starts[a : b + 1], longest).sum()) for a, b in _parts(len(starts) - 1))
    if size == len(starts) - 1:
        return starts
    cut, at = (room or partial(np.empty, dtype=np.int64))(size + 1), 0
    for a, b in _parts(len(starts) - 1):
        pieces = _pieces(starts[a : b + 1], longest)
        number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        cut[at : at + len(number)] = np.repeat(starts[a:b], pieces) + number * longest
        at += len(number)
    cut[size] = starts[-1]
    return cut


def deal(size: int, num_parts: int) -> np.ndarray:
    """Return 0 ... size - 1 as cards are taken in turn from `num_parts` piles: 0 3 1 4 2 5 of 2."""
    return _dealt(np.arange(size), size, num_parts)


def _dealt(turns: np.ndarray, size: int, num_parts: int) -> np.ndarray:
    """Return the cards that are taken at these turns; piles differ by one card at most."""
    num_parts = max(min(num_parts, size), 1)
    firsts = size * np.arange(num_parts + 1) // num_parts
    height = size // num_parts
    higher = np.flatnonzero(np.diff(firsts) > height)  # piles with a card for a last round
    rounds, piles = np.divmod(turns, num_parts)
    is_last = rounds == height
    piles[is_last] = higher[piles[is_last]]
    cards: np.ndarray = firsts[piles] + rounds
    return cards


def _pieces(starts: np.ndarray, longest: int) -> np.ndarray:
    """Return how many pieces each sentence is cut into."""
    pieces: np.ndarray = -(-np.diff(starts) // longest)
    return pieces


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """Cut 0 ... size into parts whose numbers are in memory together."""
    return ((first, min(first + AT_ONCE, size)) for first in range(0, size, AT_ONCE))


def _room(tokens: TokenFile, length: int) -> np.ndarray:
    """Return an array of so many numbers, in a file beside the text where it is long."""
    if length <= MOST_IN_MEMORY:
        return np.empty(length, np.int64)
    return temporary_array(tokens.folder, "int64", length)
