"""Sequences of a sorted list found in ids: the longest one at each place."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["find_longest"]


@kernel(_nrt=False)
def find_longest(
    ids: np.ndarray,  # (N,) uint32, below V
    ends: np.ndarray,  # (S,) int64, where each sentence ends
    may_begin: np.ndarray,  # (N,) bool, where one may begin, and behind it another
    firsts: np.ndarray,  # (V + 1,) int64, the first sequence that begins with each id
    starts: np.ndarray,  # (E + 1,) int64, of the sequences in `tokens`
    tokens: np.ndarray,  # uint32, the sequences, sorted, none twice
    lengths: np.ndarray,  # (N,) int32 zeros: written
) -> None:
    """Write the length of each sequence that was found at its first place.

    From left to right, the longest sequence at each place is taken. None overlaps another or goes
    beyond the end of a sentence.
    """
    place = 0
    for sentence in range(ends.size):
        end = ends[sentence]
        while place < end:
            length = 0
            if may_begin[place]:
                length = _longest(ids, place, end, may_begin, firsts, starts, tokens)
            lengths[place] = length
            place += max(length, 1)


@kernel(_nrt=False)
def _longest(ids, place, end, may_begin, firsts, starts, tokens):
    """The length of the longest sequence at a place; 0: none is there."""
    low, high = firsts[ids[place]], firsts[ids[place] + 1]  # sequences that agree so far
    depth, found = 1, 0
    while low < high:
        last = place + depth
        if starts[low + 1] - starts[low] == depth:  # the shortest one is the first
            if last == end or may_begin[last]:
                found = depth
            low += 1
        if last == end:
            break
        low, high = _narrowed(tokens, starts, low, high, depth, ids[last])
        depth += 1
    return found


@kernel(_nrt=False)
def _narrowed(tokens, starts, low, high, depth, wanted):
    """Of the sequences low to high, those whose token number `depth` is `wanted`."""
    first = _first_from(tokens, starts, low, high, depth, np.int64(wanted))
    return first, _first_from(tokens, starts, first, high, depth, np.int64(wanted) + 1)


@kernel(_nrt=False)
def _first_from(tokens, starts, low, high, depth, least):
    """The first of the sequences low to high whose token number `depth` is `least` or more."""
    while low < high:
        middle = (low + high) // 2
        if np.int64(tokens[starts[middle] + depth]) < least:
            low = middle + 1
        else:
            high = middle
    return low
