"""Samples of words by their checksums, and the lengths of words."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.word_table import LOW, NUM_WORDS, Table, find, has_room, insert

__all__ = ["add_lengths", "sample_words"]

_ALL = np.uint32(0xFFFFFFFF)
_BYTE = np.uint32(0xFF)
_EIGHT = np.uint32(8)


@kernel(kept=True)
def sample_words(
    words: Table, start: int, head: Table, tail: Table, halvings: int, crc_table: np.ndarray
) -> int:
    """Add the counts of `words` from index `start` on to those of their words that are kept.

    A word is kept if `head` has it, or else in `tail`, which gets it, if the first bits of its
    CRC-32, as many as `halvings`, are zeros. crc_table: (256,) uint32, by which a byte changes it.
    Returns the index it stopped at: all words, or the one to go on from once `tail` has room.
    """
    for index in range(start, words.used[NUM_WORDS]):
        length = words.spans[index] & 1023
        first = words.spans[index] >> 10
        mixed = words.hashes[index]
        slot = find(head, mixed, words.arena, first, length)
        if head.slots[slot] != 0:
            head.counts[np.int64(head.slots[slot] & LOW) - 1] += words.counts[index]
            continue
        if np.int64(_crc(words.arena, first, length, crc_table)) >> (32 - halvings) != 0:
            continue
        slot = find(tail, mixed, words.arena, first, length)
        if tail.slots[slot] == 0:
            if not has_room(tail, length):
                return index
            insert(tail, slot, mixed, words.arena, first, length)
        tail.counts[np.int64(tail.slots[slot] & LOW) - 1] += words.counts[index]
    return words.used[NUM_WORDS]  # type: ignore[no-any-return]


@kernel(kept=True)
def add_lengths(words: Table, sums: np.ndarray) -> None:
    """Add the count of each word to that of its length in characters in `sums`, int64."""
    for index in range(words.used[NUM_WORDS]):
        first = words.spans[index] >> 10
        characters = 0
        for place in range(words.spans[index] & 1023):
            characters += _byte(words.arena, first, place) & np.uint32(0xC0) != np.uint32(0x80)
        sums[characters] += words.counts[index]


@kernel(_nrt=False, forceinline=True)
def _crc(units: np.ndarray, first: int, length: int, crc_table: np.ndarray) -> np.uint32:
    """CRC-32 of the word that begins at unit `first`, as of zlib."""
    crc = _ALL
    for place in range(length):
        crc = (crc >> _EIGHT) ^ crc_table[(crc ^ _byte(units, first, place)) & _BYTE]
    return crc ^ _ALL


@kernel(_nrt=False, forceinline=True)
def _byte(units: np.ndarray, first: int, place: int) -> np.uint32:
    """The byte at a place of the word that begins at unit `first`."""
    return np.uint32((units[first + (place >> 3)] >> np.uint64(8 * (place & 7))) & np.uint64(0xFF))
