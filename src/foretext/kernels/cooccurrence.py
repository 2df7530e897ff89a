"""Counting which words stand near which (Pennington et al. 2014, "GloVe", section 3).

A text is turned inside out: the places of each word are listed, and one word after another gathers
what stands around all its places in a row as long as the vocabulary, which stays in the cache. What
comes out is sorted already; there is no hash table, and nothing to sort or merge within a text.

Pairs weigh whole numbers (see `foretext.vectors.cooccurrence`), so that sums do not depend on the
order in which threads or parts of a text are added.

V words, P places in a part of a text.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.simd import prefetch

__all__ = ["add_runs", "count_rows", "halo_after", "halo_before", "known_words", "list_places"]

BITS = 64  # of one word of a bitmap
AHEAD = 8  # places between the one being counted and the one being fetched


@kernel()
def halo_before(ids, at, sentence_start, window):
    """Where to begin so that `window` known words of the sentence stand before token `at`."""
    missing = window
    while at > sentence_start and missing:
        at -= 1
        missing -= ids[at] != 0
    return at


@kernel()
def halo_after(ids, at, sentence_end, window):
    """Where to end so that `window` known words of the sentence stand from token `at` on."""
    missing = window
    while at < sentence_end and missing:
        missing -= ids[at] != 0
        at += 1
    return at


@kernel()
def known_words(ids, sentence_starts, begin, first, last, end, words):
    """Copy the known words of tokens `begin` to `end` - 1, a 0 before, between and after sentences.

    words: (tokens + sentences + 2,) int32. Returns the number of words written and, among them, the
    places of tokens `first` and `last`, between which the centres stand.
    """
    words[0] = 0
    size = 1
    centres_first = centres_last = 0
    sentence = np.searchsorted(sentence_starts, begin, side="right")
    sentence_end = sentence_starts[sentence]
    for at in range(begin, end):
        if at == sentence_end:
            words[size] = 0
            size += 1
            sentence += 1
            sentence_end = sentence_starts[sentence]
        if at == first:
            centres_first = size
        if at == last:
            centres_last = size
        if ids[at] != 0:
            words[size] = ids[at]
            size += 1
    words[size] = 0
    if last == end:
        centres_last = size
    return size + 1, centres_first, centres_last


@kernel()
def list_places(words, first, last, vocab_size):
    """The places of each word between `first` and `last`: starts (V + 1,) int64, places (P,)."""
    starts = np.zeros(vocab_size + 1, np.int64)
    for at in range(first, last):
        starts[words[at] + 1] += 1
    starts[1] = 0  # what lies between two sentences is no word
    for word in range(vocab_size):
        starts[word + 1] += starts[word]
    places = np.empty(starts[vocab_size], np.int32)
    cursors = starts[:-1].copy()
    for at in range(first, last):
        word = words[at]
        if word:
            places[cursors[word]] = at
            cursors[word] += 1
    return starts, places


@kernel(inline="always")
def lowest_bit(bits):
    """The number of the lowest bit that is set: a de Bruijn sequence numbers all 64."""
    return LOWEST_BIT[((bits & (~bits + np.uint64(1))) * DE_BRUIJN) >> np.uint64(58)]


DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
LOWEST_BIT = np.zeros(64, np.int64)
for _bit in range(BITS):
    LOWEST_BIT[((1 << _bit) * int(DE_BRUIJN) % (1 << 64)) >> 58] = _bit


@kernel(inline="always")
def add_pair(total, touched, count, word, weight):
    """Add to one sum of the row; a word met for the first time is noted."""
    before = total[word]
    touched[count] = word
    total[word] = before + weight
    return count + (before == 0)


@kernel(inline="always")
def emit_row(total, touched, count, bitmap, columns, totals, size):
    """Write the row's sums in the order of their columns, and clear them."""
    for k in range(count):
        word = np.uint64(touched[k])
        bitmap[word >> np.uint64(6)] |= np.uint64(1) << (word & np.uint64(63))
    for block in range(bitmap.size):
        bits = bitmap[block]
        while bits:
            column = block * BITS + lowest_bit(bits)
            columns[size] = column
            totals[size] = total[column]
            total[column] = 0
            size += 1
            bits &= bits - np.uint64(1)
        bitmap[block] = 0
    return size


@kernel()
def count_rows(words, starts, places, weights, first, last, ends, columns, totals):
    """The rows of words `first` to `last` - 1: what stands within the window of each, either side.

    weights: (window + 1,) int64, by distance. Row r is written to ``columns[ends[r - first - 1] :
    ends[r - first]]`` (in ascending order) and its sums to `totals`, whose size must be enough.
    """
    vocab_size = starts.size - 1
    total = np.zeros(vocab_size, np.int64)
    touched = np.empty(vocab_size + 1, np.int32)
    bitmap = np.zeros(vocab_size // BITS + 1, np.uint64)
    size = 0
    for row in range(first, last):
        count = 0
        for k in range(starts[row], starts[row + 1]):
            place = np.int64(places[k])
            if k + AHEAD < places.size:
                prefetch(words, np.int64(places[k + AHEAD]))
            for distance in range(1, weights.size):
                word = words[place - distance]
                if word == 0:
                    break
                count = add_pair(total, touched, count, word, weights[distance])
            for distance in range(1, weights.size):
                word = words[place + distance]
                if word == 0:
                    break
                count = add_pair(total, touched, count, word, weights[distance])
        size = emit_row(total, touched, count, bitmap, columns, totals, size)
        ends[row - first] = size


@kernel()
def add_runs(run_starts, run_ends, run_columns, run_totals, vocab_size, ends, columns, totals):
    """Add up rows that several parts of a text gave.

    run_starts, run_ends: (runs, rows) int64, where each row of each run stands in `run_columns` and
    `run_totals`, which hold all runs end to end. Writes as `count_rows` does.
    """
    total = np.zeros(vocab_size, np.int64)
    touched = np.empty(vocab_size + 1, np.int32)
    bitmap = np.zeros(vocab_size // BITS + 1, np.uint64)
    size = 0
    for row in range(run_starts.shape[1]):
        count = 0
        for run in range(run_starts.shape[0]):
            for k in range(run_starts[run, row], run_ends[run, row]):
                count = add_pair(total, touched, count, run_columns[k], run_totals[k])
        size = emit_row(total, touched, count, bitmap, columns, totals, size)
        ends[row] = size
