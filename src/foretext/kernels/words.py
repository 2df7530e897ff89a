"""From UTF-8 bytes to words to ids: one pass, no Python object per word.

A word is a run of characters of class WORD, or one character of class ALONE; `next_word` walks the
bytes of a text and leaves the next word, lower-cased, in a scratch buffer. Words are looked up in
an open-addressing hash table with linear probing, kept in flat arrays. The text must be valid
UTF-8: what follows a leading byte is not checked.

W words, C slots (a power of two, at least 2 W), U units of 8 bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel

__all__ = [
    "ALONE",
    "IGNORED",
    "MAX_WORD_BYTES",
    "SEPARATOR",
    "WORD",
    "Letters",
    "Scratch",
    "Table",
    "count_words",
    "encode_words",
    "merge_words",
    "number_lines",
    "number_words",
    "place_words",
    "split_words",
]

SEPARATOR, WORD, ALONE, IGNORED = 0, 1, 2, 3  # IGNORED: dropped without ending the word
MAX_WORD_BYTES = 1000  # longer ones are not words; below 1024, so that 10 bits hold a length

NEWLINE = 10
SENTENCE_END, DOCUMENT_END = 1, 2  # flags of what lies before a word
NUM_WORDS, NUM_UNITS, NUM_LONG = 0, 1, 2  # places in Table.used

# numba counts references to arrays: two atomic instructions for each array at each call of one
# kernel by another, ten times the work on a word. Kernels that make no array, not even a view,
# can do without, because their caller holds all arrays until they return.
BORROWING = {"_nrt": False}
INLINED = {"_nrt": False, "forceinline": True}

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_FINISHER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)


class Letters(NamedTuple):
    """What each character is, and its lower case."""

    classes: np.ndarray  # (0x110000,) uint8, SEPARATOR, WORD, ALONE or IGNORED
    lower: np.ndarray  # (0x110000,) int32, code point -> code point
    fast: np.ndarray  # (256,) uint8, what becomes of a byte that is a WORD by itself, else 0


class Scratch(NamedTuple):
    """Room for one word and eight zeros after it, seen in two ways; one for each thread."""

    letters: np.ndarray  # (8 U,) uint8
    units: np.ndarray  # (U,) uint64, the same memory


class Table(NamedTuple):
    """Words in the order they were met, and where to find them."""

    slots: np.ndarray  # (C,) uint64, high half: of the hash; low half: index of the word + 1
    hashes: np.ndarray  # (W,) uint64
    spans: np.ndarray  # (W,) int64, first unit in the arena << 10 | length in bytes
    counts: np.ndarray  # (W,) int64
    arena: np.ndarray  # (U,) uint64, words in UTF-8, each filled up with zeros to whole units
    used: np.ndarray  # (3,) int64, number of words, of units, of tokens too long to be words


@kernel(kept=True)
def count_words(
    text: np.ndarray, start: int, letters: Letters, table: Table, scratch: Scratch
) -> int:
    """Count the words of `text` (uint8) from byte `start` on.

    Returns where it stopped: ``text.size``, or the place to go on from once the table has room.
    """
    at = start
    while True:
        before = at
        at, length, _ = next_word(text, at, letters, scratch)
        if length == 0:
            return text.size
        if length > MAX_WORD_BYTES:
            table.used[NUM_LONG] += 1
            continue
        mixed = _hash(scratch.units, length)
        slot = _find(table, mixed, scratch.units, 0, length)
        if table.slots[slot] == 0:
            if not _has_room(table, length):
                return before
            _insert(table, slot, mixed, scratch.units, 0, length)
        table.counts[np.int64(table.slots[slot] & _LOW) - 1] += 1


@kernel(kept=True)
def encode_words(
    text: np.ndarray,
    letters: Letters,
    table: Table,
    scratch: Scratch,
    ids: np.ndarray,
    sentence_starts: np.ndarray,
    document_starts: np.ndarray,
) -> tuple[int, int, int]:
    """Write the ids of all words of `text` (uint8), and where sentences and documents begin.

    A word's id is its index in the table, 0 when it is not there. "\\n" ends a sentence, an empty
    line a document; sentences and documents without words leave no trace.
    Returns how many ids, sentences and documents were written.
    """
    num_ids, num_sentences, num_documents = 0, 0, 0
    at = 0
    ended = SENTENCE_END | DOCUMENT_END
    while True:
        at, length, ends = next_word(text, at, letters, scratch)
        if length == 0:
            return num_ids, num_sentences, num_documents
        ended |= ends
        if ended & DOCUMENT_END:
            document_starts[num_documents] = num_ids
            num_documents += 1
        if ended:
            sentence_starts[num_sentences] = num_ids
            num_sentences += 1
        ended = 0
        ids[num_ids] = _word_id(table, scratch, length)
        num_ids += 1


@kernel(kept=True)
def number_words(
    text: np.ndarray,
    start: int,
    letters: Letters,
    table: Table,
    scratch: Scratch,
    ids: np.ndarray,
    sentence_starts: np.ndarray,
    document_starts: np.ndarray,
    written: np.ndarray,
) -> int:
    """Write ids as `encode_words` does, from byte `start` on, and add the words that are new.

    `written` (3,) int64 has the numbers of ids, sentences and documents so far. Too long words are
    counted in the table and get the id 0.
    Returns where it stopped: ``text.size``, or the place to go on from once the table has room.
    """
    num_ids, num_sentences, num_documents = written
    at = start
    ended = SENTENCE_END | DOCUMENT_END if num_ids == 0 else 0
    while True:
        before = at
        at, length, ends = next_word(text, at, letters, scratch)
        if length == 0:
            before = text.size
            break
        index = _added_id(table, scratch, length)
        if index < 0:
            break
        ended |= ends
        if ended & DOCUMENT_END:
            document_starts[num_documents] = num_ids
            num_documents += 1
        if ended:
            sentence_starts[num_sentences] = num_ids
            num_sentences += 1
        ended = 0
        ids[num_ids] = index
        num_ids += 1
    written[0], written[1], written[2] = num_ids, num_sentences, num_documents
    return before


@kernel(kept=True)
def number_lines(
    text: np.ndarray,
    start: int,
    letters: Letters,
    table: Table,
    scratch: Scratch,
    ids: np.ndarray,
    line_ends: np.ndarray,
    document_ends: np.ndarray,
    written: np.ndarray,
) -> int:
    """Write ids as `number_words` does, and where lines and documents end, those without words too.

    Line l ends before the id number ``line_ends[l]``, document d before the line number
    ``document_ends[d]``; an empty line, which ends a document, is none itself.
    """
    num_ids, num_lines, num_documents = written
    at = start
    while True:
        while at < text.size and letters.fast[text[at]] == 0:
            if text[at] == NEWLINE and at > 0 and text[at - 1] == NEWLINE:
                document_ends[num_documents] = num_lines
                num_documents += 1
            elif text[at] == NEWLINE:
                line_ends[num_lines] = num_ids
                num_lines += 1
            point, width = _decode(text, at)
            if letters.classes[point] in (WORD, ALONE):
                break
            at += width
        before = at
        at, length, _ = next_word(text, at, letters, scratch)
        if length == 0:
            before = text.size
            break
        index = _added_id(table, scratch, length)
        if index < 0:
            break
        if length <= MAX_WORD_BYTES:
            table.counts[index] += 1
        ids[num_ids] = index
        num_ids += 1
    written[0], written[1], written[2] = num_ids, num_lines, num_documents
    return before


@kernel(**BORROWING)
def split_words(text: np.ndarray, letters: Letters, scratch: Scratch, words: np.ndarray) -> int:
    """Write the words of `text`, lower-cased, a newline after each; returns the bytes written.

    `scratch` must hold the longest word, `words` two bytes for each one of `text` (a lower case
    can be half as long again, and each word is followed by a newline).
    """
    written, at = 0, 0
    while True:
        at, length, _ = next_word(text, at, letters, scratch)
        if length == 0:
            return written
        for place in range(length):
            words[written + place] = scratch.letters[place]
        words[written + length] = NEWLINE
        written += length + 1


@kernel(kept=True)
def merge_words(table: Table, other: Table, start: int) -> int:
    """Add the words of `other` from index `start` on, with their counts, to `table`.

    Returns the index it stopped at: all words, or the one to go on from once the table has room.
    """
    for index in range(start, other.used[NUM_WORDS]):
        length = other.spans[index] & 1023
        first = other.spans[index] >> 10
        slot = _find(table, other.hashes[index], other.arena, first, length)
        if table.slots[slot] == 0:
            if not _has_room(table, length):
                return index
            _insert(table, slot, other.hashes[index], other.arena, first, length)
        table.counts[np.int64(table.slots[slot] & _LOW) - 1] += other.counts[index]
    return other.used[NUM_WORDS]  # type: ignore[no-any-return]


@kernel(kept=True)
def place_words(table: Table) -> None:
    """Fill the empty slots of a table that was given more of them."""
    mask = np.uint64(table.slots.size - 1)
    for index in range(table.used[NUM_WORDS]):
        slot = table.hashes[index] & mask
        while table.slots[slot] != 0:
            slot = (slot + _ONE) & mask
        table.slots[slot] = (table.hashes[index] & ~_LOW) | np.uint64(index + 1)


@kernel(**INLINED)
def next_word(
    text: np.ndarray, start: int, letters: Letters, scratch: Scratch
) -> tuple[int, int, int]:
    """Bring the next word from byte `start` on into `scratch`, filled up with zeros.

    Returns where it ends, its length in bytes (0: there is none; more than `scratch` holds: only
    its beginning was kept) and flags of the sentence and document ends that lie before it.
    """
    at, ends = _skip_separators(text, start, letters)
    limit = scratch.letters.size - 8
    length = 0
    while at < text.size:
        letter = letters.fast[text[at]]
        if letter != 0 and length < limit:
            scratch.letters[length] = letter
            length += 1
            at += 1
            continue
        point, width = _decode(text, at)
        kind = letters.classes[point]
        if kind == SEPARATOR or (kind == ALONE and length > 0):
            break
        if kind != IGNORED:
            length = _append(scratch.letters, length, limit, letters.lower[point])
        at += width
        if kind == ALONE:
            break
    for place in range(8):
        scratch.letters[min(length, limit) + place] = 0
    return at, length, ends


@kernel(**INLINED)
def _skip_separators(text: np.ndarray, start: int, letters: Letters) -> tuple[int, int]:
    at = start
    ends = 0
    while at < text.size and letters.fast[text[at]] == 0:
        if text[at] == NEWLINE:
            ends |= SENTENCE_END
            if at + 1 < text.size and text[at + 1] == NEWLINE:
                ends |= DOCUMENT_END
        point, width = _decode(text, at)
        kind = letters.classes[point]
        if kind in (WORD, ALONE):
            break
        at += width
    return at, ends


@kernel(**INLINED)
def _decode(text: np.ndarray, at: int) -> tuple[np.int64, int]:
    """Code point at byte `at` and how many bytes it takes."""
    first = np.int64(text[at])
    if first < 0x80:
        return first, 1
    second = np.int64(text[at + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second, 2
    third = np.int64(text[at + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third, 3
    return (first & 0x07) << 18 | second << 12 | third << 6 | np.int64(text[at + 3]) & 0x3F, 4


@kernel(**INLINED)
def _append(letters: np.ndarray, length: int, limit: int, point: int) -> int:
    """Write a code point in UTF-8; returns the new length, or `limit` + 1 where it has no room."""
    width = 1 + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000)
    if length + width > limit:
        return limit + 1
    if width == 1:
        letters[length] = point
        return length + 1
    for place in range(width - 1, 0, -1):
        letters[length + place] = 0x80 | (point & 0x3F)
        point >>= 6
    letters[length] = point | (0xF00 >> width) & 0xFF
    return length + width


@kernel(**INLINED)
def _hash(units: np.ndarray, length: int) -> np.uint64:
    """Multiply and fold, eight bytes at a time."""
    mixed = np.uint64(length) * _FINISHER
    for index in range((length + 7) >> 3):
        mixed = (mixed ^ units[index]) * _MULTIPLIER
        mixed ^= mixed >> _HALF
    mixed *= _FINISHER
    return mixed ^ (mixed >> _HALF)


@kernel(**INLINED)
def _find(table: Table, mixed: np.uint64, units: np.ndarray, first: int, length: int) -> np.uint64:
    """Slot of the word that begins at unit `first`, or the empty slot where it belongs."""
    mask = np.uint64(table.slots.size - 1)
    slot = mixed & mask
    while table.slots[slot] != 0:
        if (table.slots[slot] ^ mixed) >> _HALF == 0:
            index = np.int64(table.slots[slot] & _LOW) - 1
            if _is_word(table, index, units, first, length):
                break
        slot = (slot + _ONE) & mask
    return slot


@kernel(**INLINED)
def _is_word(table: Table, index: np.int64, units: np.ndarray, first: int, length: int) -> bool:
    if table.spans[index] & 1023 != length:
        return False
    place = table.spans[index] >> 10
    for unit in range((length + 7) >> 3):  # noqa: SIM110 - numba compiles no generator
        if table.arena[place + unit] != units[first + unit]:
            return False
    return True


@kernel(**INLINED)
def _word_id(table: Table, scratch: Scratch, length: int) -> np.int64:
    if length > MAX_WORD_BYTES:
        return np.int64(0)
    slot = _find(table, _hash(scratch.units, length), scratch.units, 0, length)
    return max(np.int64(0), np.int64(table.slots[slot] & _LOW) - np.int64(1))


@kernel(**INLINED)
def _added_id(table: Table, scratch: Scratch, length: int) -> np.int64:
    """Return the id of a word that is added if it is new; -1 where the table has no room.

    Too long words are counted in the table and get the id 0.
    """
    if length > MAX_WORD_BYTES:
        table.used[NUM_LONG] += 1
        return np.int64(0)
    mixed = _hash(scratch.units, length)
    slot = _find(table, mixed, scratch.units, 0, length)
    if table.slots[slot] == 0:
        if not _has_room(table, length):
            return np.int64(-1)
        _insert(table, slot, mixed, scratch.units, 0, length)
    return np.int64(table.slots[slot] & _LOW) - np.int64(1)


@kernel(**INLINED)
def _has_room(table: Table, length: int) -> bool:
    units = table.used[NUM_UNITS] + ((length + 7) >> 3)
    return bool(table.used[NUM_WORDS] < table.hashes.size and units <= table.arena.size)


@kernel(**INLINED)
def _insert(
    table: Table, slot: np.uint64, mixed: np.uint64, units: np.ndarray, first: int, length: int
) -> None:
    index = table.used[NUM_WORDS]
    place = table.used[NUM_UNITS]
    num_units = (length + 7) >> 3
    table.slots[slot] = (mixed & ~_LOW) | np.uint64(index + 1)
    table.hashes[index] = mixed
    table.spans[index] = place << 10 | length
    table.counts[index] = 0
    for unit in range(num_units):
        table.arena[place + unit] = units[first + unit]
    table.used[NUM_WORDS] += 1
    table.used[NUM_UNITS] += num_units
