"""From texts to the features of fastText's classifier (Joulin et al. 2016, section 2).

A document is a line; its features are its words, their character n-grams and the hashed n-grams of
its words. All of this is done once, before the training, where the authors' program reads, cuts and
hashes the text again in every epoch.

A unit is a word, 0 to V - 1, or a bucket of n-grams, V to V + B - 1. Units that occur in the same
documents, equally often, get the same gradients for ever and share one row of weights; most word
n-grams occur once, and all of these in one document are one row.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import random64
from foretext.kernels.letters import next_word
from foretext.kernels.ngrams import hash_bytes, next_hash
from foretext.kernels.word_table import (
    LOW,
    MAX_WORD_BYTES,
    NUM_WORDS,
    find,
    has_room,
    insert,
    word_hash,
)

__all__ = [
    "document_entries",
    "document_units",
    "encode_lines",
    "intern_lines",
    "unit_signatures",
    "word_hashes",
]

NGRAM_MULTIPLIER = np.uint64(116049371)  # of the authors' program
_OPEN, _CLOSE = 60, 62  # < and >


@kernel(_nrt=False)
def intern_lines(text, line_ends, letters, table, scratch, prefix, tokens, starts, state):
    """Write the index in `table` of each word of each line, new words being added to it.

    text: uint8; line_ends: (N,) int64, where the line ends stand. Word 0 of the table is the line
    end, which is a word itself, behind all others of its line; words that begin with `prefix`
    (uint8) are left out, and so are those of over 1,000 bytes. starts: (N + 1,) int64, indices into
    tokens (int32). state: (3,) int64, byte, line and token to go on from. Returns whether all was
    done; if not, the table needs room.
    """
    at, line, written = state[0], state[1], state[2]
    while line < line_ends.size:
        before = at
        at, length, _ = next_word(text, at, letters, scratch)
        while line < line_ends.size and (length == 0 or at > line_ends[line]):
            tokens[written] = 0
            table.counts[0] += 1
            written += 1
            line += 1
            starts[line] = written
        if length == 0:
            break
        if length > MAX_WORD_BYTES or begins_with(scratch.letters, length, prefix):
            continue
        mixed = word_hash(scratch.units, length)
        slot = find(table, mixed, scratch.units, 0, length)
        if table.slots[slot] == 0:
            if not has_room(table, length):
                state[0], state[1], state[2] = before, line, written
                return False
            insert(table, slot, mixed, scratch.units, 0, length)
        index = np.int64(table.slots[slot] & LOW) - 1
        table.counts[index] += 1
        tokens[written] = index
        written += 1
    state[0], state[1], state[2] = at, line, written
    return True


@kernel(_nrt=False)
def encode_lines(
    text, line_ends, letters, table, scratch, prefix, line_end, tokens, hashes, starts, unknown,
    unknown_starts,
):  # fmt: skip
    """Do the same for a table that stays as it is; returns how many words it does not hold.

    line_end: (2,) int64, the id of the line end, or a negative one, and its hash. hashes: (T,)
    int32, that of each word, or (0,) where nobody asks for them. The k-th word that is not in the
    table has the id -1 - k, and its bytes between < and > stand in `unknown` (uint8) at
    ``unknown_starts[k : k + 2]``.
    """
    at, line, written, num_unknown, end = 0, 0, 0, 0, 0
    unknown_starts[0] = 0
    while line < line_ends.size:
        at, length, _ = next_word(text, at, letters, scratch)
        while line < line_ends.size and (length == 0 or at > line_ends[line]):
            tokens[written] = line_end[0]
            if hashes.size > 0:
                hashes[written] = np.int32(line_end[1])
            if line_end[0] < 0:
                tokens[written] = -1 - num_unknown
                num_unknown += 1
                unknown_starts[num_unknown] = end
            written += 1
            line += 1
            starts[line] = written
        if length == 0:
            break
        if length > MAX_WORD_BYTES or begins_with(scratch.letters, length, prefix):
            continue
        slot = find(table, word_hash(scratch.units, length), scratch.units, 0, length)
        index = np.int64(table.slots[slot] & LOW) - 1
        if hashes.size > 0:
            hashes[written] = np.int32(hash_bytes(scratch.letters, 0, length))
        if index < 0:
            index = np.int64(-1 - num_unknown)
            num_unknown += 1
            unknown[end] = _OPEN
            for place in range(length):
                unknown[end + 1 + place] = scratch.letters[place]
            unknown[end + 1 + length] = _CLOSE
            end += length + 2
            unknown_starts[num_unknown] = end
        tokens[written] = index
        written += 1
    return num_unknown


@kernel(_nrt=False, inline="always")
def begins_with(letters, length, prefix):
    """Whether the word in `letters` begins with `prefix`."""
    if prefix.size == 0 or length < prefix.size:
        return False
    for place in range(prefix.size):  # noqa: SIM110 - numba compiles no generator
        if letters[place] != prefix[place]:
            return False
    return True


@kernel()
def word_hashes(table):
    """Return (W,) int32: the hash of each word of a table, as the authors' program has it."""
    letters = table.arena.view(np.uint8)
    hashes = np.empty(table.used[NUM_WORDS], np.int32)
    for index in range(hashes.size):
        first = (table.spans[index] >> 10) * 8
        value = np.uint32(2166136261)
        for at in range(first, first + (table.spans[index] & 1023)):
            value = next_hash(value, letters[at])
        hashes[index] = np.int32(value)
    return hashes


@kernel()
def document_units(tokens, hashes, starts, known, unknown, num_words, bucket, word_ngrams):
    """Return (units, unit_starts): the features of each document, in the order of the original.

    tokens: (T,), hashes: (T,) or (0,), starts: (N + 1,), as `encode_lines` writes them. known,
    unknown: (starts, buckets), the character n-grams of words 0, 1, ... and of ids -1, -2, ...
    units: (E,) int32; a word that is not known is no unit itself. The hash of a word n-gram takes
    the hashes of its words as signed numbers of 64 bits.
    """
    num_documents = starts.size - 1
    unit_starts = np.zeros(num_documents + 1, np.int64)
    for document in range(num_documents):
        first, last = starts[document], starts[document + 1]
        count = 0
        for at in range(first, last):
            word = tokens[at]
            if word >= 0:
                count += 1 + known[0][word + 1] - known[0][word]
            else:
                count += unknown[0][-word] - unknown[0][-1 - word]
            count += min(word_ngrams - 1, last - 1 - at)
        unit_starts[document + 1] = unit_starts[document] + count
    units = np.empty(unit_starts[-1], np.int32)
    for document in range(num_documents):
        first, last = starts[document], starts[document + 1]
        to = unit_starts[document]
        for at in range(first, last):
            word = tokens[at]
            if word >= 0:
                units[to] = word
                to += 1
                begin, end, buckets = known[0][word], known[0][word + 1], known[1]
            else:
                begin, end, buckets = unknown[0][-1 - word], unknown[0][-word], unknown[1]
            for place in range(begin, end):
                units[to] = num_words + buckets[place]
                to += 1
        for at in range(first, last if word_ngrams > 1 else first):
            value = np.uint64(np.int64(hashes[at]))
            for other in range(at + 1, min(last, at + word_ngrams)):
                value = value * NGRAM_MULTIPLIER + np.uint64(np.int64(hashes[other]))
                units[to] = num_words + np.int64(value % np.uint64(bucket))
                to += 1
    return units, unit_starts


@kernel()
def unit_signatures(units, starts, num_units):
    """Return (num_units,) uint64: equal for units that the same documents have, equally often.

    Zero for a unit that never occurs. A signature is the sum of one random number for each
    occurrence; two that should differ agree once in 2**64.
    """
    signatures = np.zeros(num_units, np.uint64)
    for document in range(starts.size - 1):
        number = random64(np.uint64(document + 1))
        for at in range(starts[document], starts[document + 1]):
            signatures[units[at]] += number
    return signatures


@kernel()
def document_entries(units, starts, signatures, order, unit_rows, members):
    """Give units of equal signature one row, and list the rows of each document once.

    order: (N,) int64, the documents in the order in which they are to be learned. unit_rows:
    (num_units,) int32, filled; -1 for units that never occur. members: (num_units,) int32, zeros;
    counts the units of each row. Rows are numbered as they are first met, so that those met
    together lie together. Returns (rows (E,) int32, times (E,) int32, entry_starts (N + 1,),
    num_rows): a document has ``times`` units of a row.
    """
    size = 1
    while size < 2 * np.count_nonzero(signatures):
        size *= 2
    mask = np.uint64(size - 1)
    keys = np.zeros(size, np.uint64)
    values = np.empty(size, np.int32)
    latest = np.full(unit_rows.size, -1, np.int32)  # where each row was listed last
    rows = np.empty(units.size, np.int32)
    times = np.empty(units.size, np.int32)
    entry_starts = np.zeros(order.size + 1, np.int64)
    num_rows, to = 0, 0
    for number in range(order.size):
        begin = to
        for at in range(starts[order[number]], starts[order[number] + 1]):
            unit = units[at]
            row = unit_rows[unit]
            if row < 0:
                slot = signatures[unit] & mask
                while keys[slot] != 0 and keys[slot] != signatures[unit]:
                    slot = (slot + np.uint64(1)) & mask
                if keys[slot] == 0:
                    keys[slot] = signatures[unit]
                    values[slot] = num_rows
                    num_rows += 1
                row = values[slot]
                unit_rows[unit] = row
                members[row] += 1
            if latest[row] >= begin:
                times[latest[row]] += 1
            else:
                latest[row] = to
                rows[to] = row
                times[to] = 1
                to += 1
        entry_starts[number + 1] = to
    return rows[:to].copy(), times[:to].copy(), entry_starts, num_rows
