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
    Table,
    added_id,
    find,
    has_room,
    insert,
    word_hash,
    word_id,
)

__all__ = ["count_words", "encode_words", "number_lines", "number_words"]


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
