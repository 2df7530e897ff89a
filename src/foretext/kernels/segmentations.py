"""All segmentations of words into pieces at once, and the best one (Kudo 2018, section 3.2).

Words are laid end to end. At each place begin some edges: a piece, and how many characters it has.
A word's segmentations are the paths from its first place to its end. Probabilities of prefixes and
suffixes are kept as multiples of powers of `TINY`, so that a word may have any length.

N places, W words, V pieces, E edges. One thread adds in the order of the words, so that equal
words give equal sums.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["Lattice", "best_alternatives", "count_best", "count_expected", "drop_pieces"]

TINY, BIG = 2.0**-256, 2.0**256
LOG_BIG = 256 * log(2.0)
NOWHERE = -1e300  # less than the logarithm of any path's probability


class Lattice(NamedTuple):
    """Where pieces stand in words."""

    starts: np.ndarray  # (W + 1,) int64, the first place of each word
    counts: np.ndarray  # (W,) float64, how often a word occurs
    firsts: np.ndarray  # (N + 1,) int64, the first edge of each place
    pieces: np.ndarray  # (E,) int32
    lengths: np.ndarray  # (E,) uint16, characters


@kernel(kept=True)
def count_expected(
    lattice: Lattice,
    probabilities: np.ndarray,  # (V,) float64
    forth: np.ndarray,  # room for the longest word and one number more, float64
    back: np.ndarray,  # as much
    powers: np.ndarray,  # twice as much, int64
    first: int,
    last: int,
    expected: np.ndarray,  # (V,) float64: added to
) -> float:
    """Add how often each piece is expected in the words `first` to `last` - 1.

    Returns the logarithm of their likelihood.
    """
    total = 0.0
    for word in range(first, last):
        begin = lattice.starts[word]
        size = lattice.starts[word + 1] - begin
        _go_forth(lattice, probabilities, begin, size, forth, powers)
        total += lattice.counts[word] * (log(forth[size]) - powers[size] * LOG_BIG)
        _go_back(
            lattice, probabilities, begin, size, lattice.counts[word], forth, back, powers, expected
        )
    return total


@kernel(_nrt=False)
def _go_forth(lattice, probabilities, begin, size, forth, powers):
    """Write the probability of each prefix: `forth`, times `TINY` to the power of `powers`."""
    for i in range(1, size + 1):
        forth[i] = 0.0
    forth[0], powers[0] = 1.0, 0
    for i in range(size + 1):
        while 0.0 < forth[i] < TINY:
            forth[i] *= BIG
            powers[i] += 1
        if i == size:
            break
        for edge in range(lattice.firsts[begin + i], lattice.firsts[begin + i + 1]):
            end = i + np.int64(lattice.lengths[edge])
            part = forth[i] * probabilities[lattice.pieces[edge]]
            if forth[end] == 0.0 or powers[i] < powers[end]:
                forth[end] = part + _times(forth[end], powers[i] - powers[end])
                powers[end] = powers[i]
            else:
                forth[end] += _times(part, powers[end] - powers[i])


@kernel(_nrt=False)
def _go_back(lattice, probabilities, begin, size, count, forth, back, powers, expected):
    """Do the same with the suffixes, and add what is expected of each edge."""
    whole, power = forth[size], powers[size]
    other = size + 1  # where powers of suffixes begin
    back[size], powers[other + size] = 1.0, 0
    for i in range(size - 1, -1, -1):
        found, behind = 0.0, 0
        share = count * forth[i] / whole
        for edge in range(lattice.firsts[begin + i], lattice.firsts[begin + i + 1]):
            piece = lattice.pieces[edge]
            end = i + np.int64(lattice.lengths[edge])
            part = probabilities[piece] * back[end]
            its = powers[other + end]
            expected[piece] += _times(share * part, power - powers[i] - its)
            if found == 0.0 or its < behind:
                found = part + _times(found, its - behind)
                behind = its
            else:
                found += _times(part, behind - its)
        while 0.0 < found < TINY:
            found *= BIG
            behind += 1
        back[i], powers[other + i] = found, behind


@kernel(_nrt=False, forceinline=True)
def _times(value, power):
    """Return `value` times `BIG` to that power; what is too small for a number is 0."""
    while power > 0 and value > 0.0:
        value *= BIG
        power -= 1
    while power < 0 and value > 0.0:
        value *= TINY
        power += 1
    return value


@kernel(kept=True)
def count_best(
    lattice: Lattice,
    scores: np.ndarray,  # (V,) float64, logarithms of probabilities
    best: np.ndarray,  # room for the longest word and one number more, float64
    came_by: np.ndarray,  # as much, int64
    first: int,
    last: int,
    found: np.ndarray,  # (V,) float64: added to
) -> int:
    """Add how often each piece stands in the best segmentations of the words.

    Of two that are equally good, that with the longer first piece is taken. Returns the number of
    pieces in the words, each word once.
    """
    num_pieces = 0
    for word in range(first, last):
        begin = lattice.starts[word]
        size = lattice.starts[word + 1] - begin
        _climb(lattice, scores, begin, size, 0, best, came_by)
        place = size
        while place > 0:
            edge = came_by[place]
            found[lattice.pieces[edge]] += lattice.counts[word]
            num_pieces += 1
            place -= np.int64(lattice.lengths[edge])
    return num_pieces


@kernel(kept=True)
def best_alternatives(
    lattice: Lattice,
    scores: np.ndarray,  # (V,) float64
    places: np.ndarray,  # (V,) int64, where each piece stands for the first time
    sizes: np.ndarray,  # (V,) uint16, its characters
    found: np.ndarray,  # (V,) float64, how often it stands in the best segmentations
    best: np.ndarray,  # (longest + 1,) float64
    came_by: np.ndarray,  # (longest + 1,) int64
    first: int,
    last: int,
    logs: np.ndarray,  # (V,) float64: written
    numbers: np.ndarray,  # (V,) int64: written
    gains: np.ndarray,  # (V,) float64: written
) -> int:
    """For each piece, cut it into others as well as can be, without itself.

    `logs` gets the sum of the logarithms of how often these would stand there if they took its
    place, `numbers` how many they are, and `gains` by how much its own score is better. Returns
    how many pieces were looked at.
    """
    for piece in range(first, last):
        size = np.int64(sizes[piece])
        numbers[piece] = 0
        if size < 2:
            continue
        begin = places[piece]
        _climb(lattice, scores, begin, size, size, best, came_by)
        gains[piece] = scores[piece] - best[size]
        total, place = 0.0, size
        while place > 0:
            edge = came_by[place]
            total += log(found[lattice.pieces[edge]] + found[piece])
            numbers[piece] += 1
            place -= np.int64(lattice.lengths[edge])
        logs[piece] = total
    return last - first


@kernel(_nrt=False)
def _climb(lattice, scores, begin, size, without, best, came_by):
    """Find the best path over some places, by no edge that is `without` characters long."""
    for i in range(size + 1):
        best[i] = NOWHERE
    best[0] = 0.0
    for i in range(size):
        for edge in range(lattice.firsts[begin + i], lattice.firsts[begin + i + 1]):
            length = np.int64(lattice.lengths[edge])
            end = i + length
            if end <= size and length != without:
                score = best[i] + scores[lattice.pieces[edge]]
                if score > best[end]:
                    best[end] = score
                    came_by[end] = edge


@kernel(kept=True)
def drop_pieces(
    firsts: np.ndarray,  # (N + 1,) int64: changed
    pieces: np.ndarray,  # (E,) int32: changed
    lengths: np.ndarray,  # (E,) uint16: changed
    renamed: np.ndarray,  # (V,) int32, the new number of each piece; -1: it is dropped
) -> int:
    """Move the edges of the pieces that stay together, and return their number."""
    written, edge = 0, 0
    for place in range(firsts.size - 1):
        end = firsts[place + 1]
        firsts[place] = written
        while edge < end:
            name = renamed[pieces[edge]]
            if name >= 0:
                pieces[written] = name
                lengths[written] = lengths[edge]
                written += 1
            edge += 1
    firsts[firsts.size - 1] = written
    return written
