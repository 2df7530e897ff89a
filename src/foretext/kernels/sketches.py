"""Sketches of documents: the least hashes of their shingles (Broder 1997), in one pass.

A shingle is a number of words that follow each other. Its hash is a polynomial of theirs, mixed
well.

N words, D documents, S hashes of a sketch.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["NO_HASH", "sketch_documents"]

NO_HASH = ~np.uint64(0)  # fills a short sketch up

_BASE = np.uint64(0x9E3779B97F4A7C15)  # of the polynomial: 2^64 / golden ratio, odd


@kernel(kept=True)
def sketch_documents(
    words: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    shingle: int,
    size: int,
    least: np.ndarray,
    sketches: np.ndarray,
) -> None:
    """Write the `size` least different hashes of each document's shingles, in ascending order.

    words: (N,) uint64, hashes of all words; starts, ends: (D,) int64, of a document's words, at
    least `shingle` of them; shingle: words of one; least: (D,) uint64, gets the least hash of each
    document, mixed once more; sketches: flat (D * S,) uint64, filled up with `NO_HASH` where a
    document has fewer.
    """
    for document in range(starts.size):
        first = document * size
        num_kept = 0
        for at in range(starts[document], ends[document] - shingle + 1):
            rolling = np.uint64(0)
            for place in range(at, at + shingle):
                rolling = rolling * _BASE + words[place]
            mixed = _mixed(rolling)
            if num_kept < size or mixed < sketches[first + size - 1]:
                num_kept = _inserted(sketches, first, num_kept, size, mixed)
        for place in range(first + num_kept, first + size):
            sketches[place] = NO_HASH
        least[document] = _mixed(sketches[first])


@kernel(_nrt=False, forceinline=True)
def _inserted(sketches: np.ndarray, first: int, num_kept: int, size: int, mixed: np.uint64) -> int:
    """Put a hash where it belongs, unless it is there; returns how many there are then."""
    place = first + num_kept
    while place > first and sketches[place - 1] > mixed:
        place -= 1
    if place > first and sketches[place - 1] == mixed:
        return num_kept
    last = min(first + num_kept, first + size - 1)
    for moved in range(last, place, -1):
        sketches[moved] = sketches[moved - 1]
    sketches[place] = mixed
    return min(num_kept + 1, size)


@kernel(_nrt=False, forceinline=True)
def _mixed(value: np.uint64) -> np.uint64:
    """Mix a 64-bit integer well (the finaliser of splitmix64; Steele et al. 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
