"""A growing table of words and counts, filled by compiled kernels."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from foretext.kernels.letters import Letters, Scratch
from foretext.kernels.word_table import MAX_WORD_BYTES, Table, merge_words, place_words
from foretext.kernels.words import count_words, number_lines, number_words, sample_words

__all__ = ["Lines", "Numbered", "WordTable", "new_scratch"]


def new_scratch(num_bytes: int = MAX_WORD_BYTES) -> Scratch:
    """Make room for one word of up to `num_bytes` bytes (a multiple of eight)."""
    units = np.zeros(num_bytes // 8 + 1, np.uint64)
    return Scratch(units.view(np.uint8), units)


class Numbered(NamedTuple):
    """A text as indices of words, with the starts of sentences and documents."""

    words: np.ndarray  # (N,) uint32
    sentence_starts: np.ndarray  # (S,) int64
    document_starts: np.ndarray  # (documents,) int64


class Lines(NamedTuple):
    """A text as indices of words, with the ends of lines and documents, those without words too."""

    words: np.ndarray  # (N,) uint32
    line_ends: np.ndarray  # (L,) int64, indices into the words
    document_ends: np.ndarray  # (D,) int64, indices into the lines


class WordTable:
    """Distinct words in the order of occurrence, with counts; at most `max_words`."""

    def __init__(self, max_words: int = 1 << 31) -> None:
        self.max_words = max_words
        self.arrays = _empty(min(max_words, 1 << 16), 1 << 17)

    def __len__(self) -> int:
        return int(self.arrays.used[0])

    @property
    def num_tokens(self) -> int:
        """Number of counted tokens, with those that are too long for words."""
        return int(self.arrays.counts[: len(self)].sum()) + self.num_too_long

    @property
    def num_too_long(self) -> int:
        """Number of counted tokens that are too long for words."""
        return int(self.arrays.used[2])

    @property
    def is_full(self) -> bool:
        """Whether there is no room for a new word."""
        return len(self) == self.max_words

    @property
    def counts(self) -> np.ndarray:
        """(W,) int64, a view."""
        return self.arrays.counts[: len(self)]

    @property
    def hashes(self) -> np.ndarray:
        """(W,) uint64, a view; they depend on the words alone."""
        return self.arrays.hashes[: len(self)]

    def count(self, text: np.ndarray, start: int, letters: Letters) -> int:
        """Count the words of `text` (uint8) from `start` on, growing where needed.

        Returns ``text.size``, or where it stopped because the table is full.
        """
        scratch = new_scratch()
        while (start := count_words(text, start, letters, self.arrays, scratch)) < text.size:
            if self.is_full:
                break
            self._grow()
        return start

    def number(self, text: np.ndarray, letters: Letters) -> Numbered | None:
        """Return the indices of words of `text` (uint8), and add new ones; None: it is full.

        Words that are too long get the index 0, and are counted.
        """
        scratch, written = new_scratch(), np.zeros(3, np.int64)
        starts = np.empty(text.size // 2 + 1, np.int64)
        found = Numbered(np.empty(text.size, np.uint32), starts, np.empty_like(starts))
        at = 0
        while (
            at := number_words(text, at, letters, self.arrays, scratch, *found, written)
        ) < text.size:
            if self.is_full:
                return None
            self._grow()
        return Numbered(*(array[:size] for array, size in zip(found, written, strict=True)))

    def count_lines(self, text: np.ndarray, letters: Letters) -> Lines:
        """Count the words of `text` (uint8), and return their indices and the ends of its lines.

        The table must have no bound. Words that are too long get the index 0, and are counted.
        """
        scratch, written = new_scratch(), np.zeros(3, np.int64)
        ends = np.empty(np.count_nonzero(text == ord("\n")) + 1, np.int64)
        found = Lines(np.empty(text.size, np.uint32), ends, np.empty_like(ends))
        at = 0
        while (
            at := number_lines(text, at, letters, self.arrays, scratch, *found, written)
        ) < text.size:
            assert not self.is_full, self.max_words
            self._grow()
        return Lines(*(array[:size] for array, size in zip(found, written, strict=True)))

    def merge(self, other: WordTable) -> None:
        """Add another table's words and counts."""
        self.max_words += other.max_words
        self.merge_some(other, 0, len(other))
        self.arrays.used[2] += other.arrays.used[2]

    def merge_some(self, other: WordTable, first: int, last: int) -> None:
        """Add the words of another table from index `first` to `last` - 1, with their counts."""
        used = np.array([last, *other.arrays.used[1:]])
        part = other.arrays._replace(used=used)
        while (first := merge_words(self.arrays, part, first)) < last:
            self._grow()

    def merge_sampled(
        self, other: WordTable, head: WordTable, halvings: int, crc_table: np.ndarray
    ) -> None:
        """Add the counts of another table's words: in `head` where that has them, else a sample's.

        See `foretext.kernels.words.sample_words`.
        """
        at = 0
        while (
            at := sample_words(other.arrays, at, head.arrays, self.arrays, halvings, crc_table)
        ) < len(other):
            self._grow()

    def some(self, indices: np.ndarray) -> WordTable:
        """Return a table of the words with these indices, none of which was counted."""
        table = WordTable()
        table.count(np.frombuffer(b"\n".join(self.words(indices)), np.uint8), 0, _lines())
        table.counts[:] = 0
        return table

    def words(self, indices: np.ndarray) -> list[bytes]:
        """Return words in UTF-8."""
        letters = self.arrays.arena.view(np.uint8).data
        firsts = (self.arrays.spans[indices] >> 10) * 8
        ends = firsts + (self.arrays.spans[indices] & 1023)
        return [bytes(letters[a:b]) for a, b in zip(firsts.tolist(), ends.tolist(), strict=True)]

    @classmethod
    def of(cls, words: list[str]) -> Self:
        """Return a table in which the index of a word is that in the list."""
        table = cls()
        text = np.frombuffer("\n".join(words).encode(), np.uint8)
        table.count(text, 0, _lines())
        assert len(table) == len(words), (len(table), len(words), "a word stands there twice")
        return table

    @classmethod
    def counted(cls, lines: bytes, counts: np.ndarray, num_too_long: int) -> Self | None:
        """Return a table of words that were counted before.

        Args:
            lines: the words in UTF-8, one a line.
            counts: (W,) int64, theirs.
            num_too_long: tokens that are too long for words.

        Returns:
            None where that cannot be: a word stands there twice, or a count is not positive.
        """
        table = cls()
        table.count(np.frombuffer(lines, np.uint8), 0, _lines())
        if len(table) != len(counts) or (counts < 1).any() or num_too_long < 0:
            return None
        table.arrays.counts[: len(counts)] = counts
        table.arrays.used[2] = num_too_long
        return table

    def _grow(self) -> None:
        """Double what is used up: slots for words, or units of the arena."""
        old, size, num_units = self.arrays, len(self), int(self.arrays.used[1])
        capacity, arena = old.hashes.size, old.arena.size
        if size == capacity:
            capacity = min(2 * capacity, self.max_words)
        else:
            arena = 2 * arena + MAX_WORD_BYTES
        self.arrays = _empty(capacity, arena)
        for name in ("hashes", "spans", "counts"):
            getattr(self.arrays, name)[:size] = getattr(old, name)[:size]
        self.arrays.arena[:num_units] = old.arena[:num_units]
        self.arrays.used[:] = old.used
        place_words(self.arrays)


def _empty(num_words: int, num_units: int) -> Table:
    num_slots = 1 << (2 * num_words - 1).bit_length()  # half of the slots stay empty
    return Table(
        slots=np.zeros(num_slots, np.uint64),
        hashes=np.empty(num_words, np.uint64),
        spans=np.empty(num_words, np.int64),
        counts=np.empty(num_words, np.int64),
        arena=np.empty(num_units, np.uint64),
        used=np.zeros(3, np.int64),
    )


def _lines() -> Letters:
    """Tables by which each line is a word."""
    classes = np.ones(0x110000, np.uint8)
    classes[ord("\n")] = 0
    return Letters(classes, np.arange(0x110000, dtype=np.int32), np.zeros(256, np.uint8))
