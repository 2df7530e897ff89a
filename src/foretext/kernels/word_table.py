"""Words in an open-addressing hash table with linear probing, kept in flat arrays.

W words, C slots (a power of two, at least 2 W), U units of 8 bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.letters import Scratch

__all__ = [
    "LOW",
    "MAX_WORD_BYTES",
    "NUM_LONG",
    "NUM_WORDS",
    "Table",
    "added_id",
    "find",
    "has_room",
    "insert",
    "merge_words",
    "place_words",
    "word_hash",
    "word_id",
]

MAX_WORD_BYTES = 1000  # longer ones are not words; below 1024, so that 10 bits hold a length
NUM_WORDS, NUM_UNITS, NUM_LONG = 0, 1, 2  # places in Table.used
LOW = np.uint64(0xFFFFFFFF)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_FINISHER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


class Table(NamedTuple):
    """Words in the order they were met, and where to find them."""

    slots: np.ndarray  # (C,) uint64, high half: of the hash; low half: index of the word + 1
    hashes: np.ndarray  # (W,) uint64
    spans: np.ndarray  # (W,) int64, first unit in the arena << 10 | length in bytes
    counts: np.ndarray  # (W,) int64
    arena: np.ndarray  # (U,) uint64, words in UTF-8, each filled up with zeros to whole units
    used: np.ndarray  # (3,) int64, number of words, of units, of tokens too long to be words


@kernel(kept=True)
def merge_words(table: Table, other: Table, start: int) -> int:
    """Add the words of `other` from index `start` on, with their counts, to `table`.

    Returns the index it stopped at: all words, or the one to go on from once the table has room.
    """
    for index in range(start, other.used[NUM_WORDS]):
        length = other.spans[index] & 1023
        first = other.spans[index] >> 10
        slot = find(table, other.hashes[index], other.arena, first, length)
        if table.slots[slot] == 0:
            if not has_room(table, length):
                return index
            insert(table, slot, other.hashes[index], other.arena, first, length)
        table.counts[np.int64(table.slots[slot] & LOW) - 1] += other.counts[index]
    return other.used[NUM_WORDS]  # type: ignore[no-any-return]


@kernel(kept=True)
def place_words(table: Table) -> None:
    """Fill the empty slots of a table that was given more of them."""
    mask = np.uint64(table.slots.size - 1)
    for index in range(table.used[NUM_WORDS]):
        slot = table.hashes[index] & mask
        while table.slots[slot] != 0:
            slot = (slot + _ONE) & mask
        table.slots[slot] = (table.hashes[index] & ~LOW) | np.uint64(index + 1)


@kernel(_nrt=False, forceinline=True)
def word_id(table: Table, scratch: Scratch, length: int) -> np.int64:
    """Return the index of the word in `scratch`, 0 where it is not there."""
    if length > MAX_WORD_BYTES:
        return np.int64(0)
    slot = find(table, word_hash(scratch.units, length), scratch.units, 0, length)
    return max(np.int64(0), np.int64(table.slots[slot] & LOW) - np.int64(1))


@kernel(_nrt=False, forceinline=True)
def added_id(table: Table, scratch: Scratch, length: int) -> np.int64:
    """Return the id of a word that is added if it is new; -1 where the table has no room.

    Too long words are counted in the table and get the id 0.
    """
    if length > MAX_WORD_BYTES:
        table.used[NUM_LONG] += 1
        return np.int64(0)
    mixed = word_hash(scratch.units, length)
    slot = find(table, mixed, scratch.units, 0, length)
    if table.slots[slot] == 0:
        if not has_room(table, length):
            return np.int64(-1)
        insert(table, slot, mixed, scratch.units, 0, length)
    return np.int64(table.slots[slot] & LOW) - np.int64(1)


@kernel(_nrt=False, forceinline=True)
def word_hash(units: np.ndarray, length: int) -> np.uint64:
    """Multiply and fold, eight bytes at a time."""
    mixed = np.uint64(length) * _FINISHER
    for index in range((length + 7) >> 3):
        mixed = (mixed ^ units[index]) * _MULTIPLIER
        mixed ^= mixed >> _HALF
    mixed *= _FINISHER
    return mixed ^ (mixed >> _HALF)


@kernel(_nrt=False, forceinline=True)
def find(table: Table, mixed: np.uint64, units: np.ndarray, first: int, length: int) -> np.uint64:
    """Slot of the word that begins at unit `first`, or the empty slot where it belongs."""
    mask = np.uint64(table.slots.size - 1)
    slot = mixed & mask
    while table.slots[slot] != 0:
        if (table.slots[slot] ^ mixed) >> _HALF == 0:
            index = np.int64(table.slots[slot] & LOW) - 1
            if _is_word(table, index, units, first, length):
                break
        slot = (slot + _ONE) & mask
    return slot


@kernel(_nrt=False, forceinline=True)
def _is_word(table: Table, index: np.int64, units: np.ndarray, first: int, length: int) -> bool:
    if table.spans[index] & 1023 != length:
        return False
    place = table.spans[index] >> 10
    for unit in range((length + 7) >> 3):  # noqa: SIM110 - numba compiles no generator
        if table.arena[place + unit] != units[first + unit]:
            return False
    return True


@kernel(_nrt=False, forceinline=True)
def has_room(table: Table, length: int) -> bool:
    """Whether one more word of so many bytes has room."""
    units = table.used[NUM_UNITS] + ((length + 7) >> 3)
    return bool(table.used[NUM_WORDS] < table.hashes.size and units <= table.arena.size)


@kernel(_nrt=False, forceinline=True)
def insert(
    table: Table, slot: np.uint64, mixed: np.uint64, units: np.ndarray, first: int, length: int
) -> None:
    """Add the word that begins at unit `first` at an empty slot, with the count 0."""
    index = table.used[NUM_WORDS]
    place = table.used[NUM_UNITS]
    num_units = (length + 7) >> 3
    table.slots[slot] = (mixed & ~LOW) | np.uint64(index + 1)
    table.hashes[index] = mixed
    table.spans[index] = place << 10 | length
    table.counts[index] = 0
    for unit in range(num_units):
        table.arena[place + unit] = units[first + unit]
    table.used[NUM_WORDS] += 1
    table.used[NUM_UNITS] += num_units
