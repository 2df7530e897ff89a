"""Expectation and maximisation of IBM model 1 (Brown et al. 1993, section 4.2).

The rates t(f | e) of target words f given source words e are kept for pairs of words that stand in
the same row, in a hash table with open addressing: what most pairs of two vocabularies would need
is never there. Source word 0 is the empty word (NULL), which every row has.

P slots, a power of two; R rows; S and T words of all sources and targets.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["add_pairs", "expect", "find_pairs", "maximise", "rehash"]

FREE = np.uint64(0)  # no target word has the id 0, so no pair has this key
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth, volume 3, 6.4)


@kernel(_nrt=False)
def add_pairs(sources, source_starts, targets, target_starts, first, keys, size, most):
    """Add the pairs of words of rows from `first` on, while there is room for a whole row.

    Args:
        sources: (S,) int32 words, from 1.
        source_starts: (R + 1,) int64, where rows start.
        targets: (T,) int32 words, from 1.
        target_starts: (R + 1,) int64.
        first: the row to begin with.
        keys: (P,) uint64 pairs of words; changed.
        size: number of slots that are taken.
        most: number of slots that may be taken; below P.

    Returns:
        The first row that is not added, and the number of slots that are taken.
    """
    for row in range(first, len(source_starts) - 1):
        begin, end = source_starts[row], source_starts[row + 1]
        begin_target, end_target = target_starts[row], target_starts[row + 1]
        if size + (end - begin + 1) * (end_target - begin_target) > most:
            return row, size
        for j in range(begin_target, end_target):
            for i in range(begin - 1, end):
                key = _key(_source(sources, i, begin), targets[j])
                slot = _find(keys, key)
                if keys[slot] == FREE:
                    keys[slot] = key
                    size += 1
    return len(source_starts) - 1, size


@kernel(_nrt=False)
def rehash(keys, larger):
    """Copy the pairs of a table into a larger one that is empty, (P,) to (Q,) uint64."""
    for slot in range(len(keys)):
        if keys[slot] != FREE:
            larger[_find(larger, keys[slot])] = keys[slot]


@kernel(_nrt=False)
def expect(sources, source_starts, targets, target_starts, num_rows, keys, rates, counts, slots):
    """Add to each pair how often its words are expected to translate each other (their eq. 17).

    Args:
        sources, source_starts, targets, target_starts: as of `add_pairs`.
        num_rows: rows that are read, all of whose pairs are in the table.
        keys: (P,) uint64.
        rates: (P,) float32, t(f | e).
        counts: (P,) float64; added to.
        slots: (longest source + 1,) int64; overwritten.

    Returns:
        The log-likelihood of the targets, without the constant for their lengths.
    """
    likelihood = 0.0
    for row in range(num_rows):
        begin, end = source_starts[row], source_starts[row + 1]
        for j in range(target_starts[row], target_starts[row + 1]):
            total = 0.0
            for i in range(begin - 1, end):
                slot = _find(keys, _key(_source(sources, i, begin), targets[j]))
                slots[i - begin + 1] = slot
                total += rates[slot]
            for place in range(end - begin + 1):
                counts[slots[place]] += rates[slots[place]] / total
            likelihood += np.log(total / (end - begin + 1))
    return likelihood


@kernel(_nrt=False)
def maximise(keys, counts, totals, rates):
    """Make rates of counts, and set the counts to zero: those of a source word add up to one.

    Args:
        keys: (P,) uint64.
        counts: (P,) float64.
        totals: (source words,) float64; overwritten.
        rates: (P,) float32; overwritten.
    """
    totals[:] = 0.0
    for slot in range(len(keys)):
        totals[keys[slot] >> np.uint64(32)] += counts[slot]
    for slot in range(len(keys)):
        if counts[slot] > 0:
            rates[slot] = counts[slot] / totals[keys[slot] >> np.uint64(32)]
        else:
            rates[slot] = 0
        counts[slot] = 0


@kernel(_nrt=False)
def find_pairs(keys, wanted, slots):
    """Write the slot of each wanted pair, (N,) uint64 to (N,) int64; -1: there is none."""
    for place in range(len(wanted)):
        slot = _find(keys, wanted[place])
        slots[place] = slot if keys[slot] != FREE else -1


@kernel(_nrt=False, inline="always")
def _source(sources, place, begin):
    """The source word at a place of its row; before the first one stands the empty word."""
    return np.int32(0) if place < begin else sources[place]


@kernel(_nrt=False, inline="always")
def _key(source, target):
    return (np.uint64(source) << np.uint64(32)) | np.uint64(target)


@kernel(_nrt=False, inline="always")
def _find(keys, key):
    """The slot of a pair, or the free one where it would stand."""
    mask = np.uint64(len(keys) - 1)
    mixed = key * _ODD
    slot = (mixed ^ (mixed >> np.uint64(32))) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
