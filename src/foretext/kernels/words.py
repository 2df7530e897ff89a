"""From UTF-8 bytes to words to ids: one pass, no Python object per word."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.letters import (
    ALONE,
    DOCUMENT_END,
    NEWLINE,
    SENTENCE_END,
    WORD,
    Letters,
    Scratch,
    decode,
    next_word,
)
from foretext.kernels.word_table import (
    LOW,
    MAX_WORD_BYTES,
    NUM_LONG,
    NUM_WORDS,
    Table,
    added_id,
    find,
    has_room,
    insert,
    word_hash,
    word_id,
)

__all__ = [
    "add_lengths",
    "count_words",
    "encode_words",
    "join_tokens",
    "number_lines",
    "number_words",
    "sample_words",
]

_ALL = np.uint32(0xFFFFFFFF)
_BYTE = np.uint32(0xFF)
_EIGHT = np.uint32(8)


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
        mixed = word_hash(scratch.units, length)
        slot = find(table, mixed, scratch.units, 0, length)
        if table.slots[slot] == 0:
            if not has_room(table, length):
                return before
            insert(table, slot, mixed, scratch.units, 0, length)
        table.counts[np.int64(table.slots[slot] & LOW) - 1] += 1


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
        ids[num_ids] = word_id(table, scratch, length)
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
        index = added_id(table, scratch, length)
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
            point, width = decode(text, at)
            if letters.classes[point] in (WORD, ALONE):
                break
            at += width
        before = at
        at, length, _ = next_word(text, at, letters, scratch)
        if length == 0:
            before = text.size
            break
        index = added_id(table, scratch, length)
        if index < 0:
            break
        if length <= MAX_WORD_BYTES:
            table.counts[index] += 1
        ids[num_ids] = index
        num_ids += 1
    written[0], written[1], written[2] = num_ids, num_lines, num_documents
    return before


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


@kernel(kept=True)
def join_tokens(
    words: np.ndarray,
    starts: np.ndarray,
    tokens: np.ndarray,
    sentence_starts: np.ndarray,
    document_starts: np.ndarray,
    ids: np.ndarray,
) -> None:
    """Write the tokens of `words` (N,) to `ids`, which holds as many as they have.

    Word w has ``tokens[starts[w] : starts[w + 1]]``. Starts of sentences and documents are indices
    into `words` before, into `ids` after.
    """
    written, sentence, document = 0, 0, 0
    for place in range(words.size):
        if sentence < sentence_starts.size and sentence_starts[sentence] == place:
            sentence_starts[sentence] = written
            sentence += 1
        if document < document_starts.size and document_starts[document] == place:
            document_starts[document] = written
            document += 1
        for token in range(starts[words[place]], starts[words[place] + 1]):
            ids[written] = tokens[token]
            written += 1
