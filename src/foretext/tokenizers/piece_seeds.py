"""Pieces that a unigram model may begin with: what occurs twice in different words, or places.

In place of a suffix array, sequences of n characters are numbered by those of n - 1 and the next
character, from 2 on; what does not occur twice is not continued. So each place knows its sequences
of all lengths, and no word has to be searched for pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from foretext.kernels.segmentations import Lattice

__all__ = ["Seeds", "seed_pieces"]

MOST = 1_000_000  # as in SentencePiece
FEWEST = 2  # occurrences


class Seeds(NamedTuple):
    """Candidates, all single characters first."""

    lattice: Lattice
    points: np.ndarray  # (N,) uint32, the characters of all words
    places: np.ndarray  # (V,) int64, where each piece stands for the first time
    sizes: np.ndarray  # (V,) uint16, its characters
    weights: np.ndarray  # (V,) float64, occurrences times characters
    num_characters: int


class _Length(NamedTuple):
    """The sequences of one length."""

    at: np.ndarray  # (M,) int64, places, rising
    names: np.ndarray  # (M,) int32, which sequence stands there
    counts: np.ndarray  # (G,) int64, of each sequence


def seed_pieces(words: Sequence[str], counts: np.ndarray, longest: int) -> Seeds:
    """Find what occurs twice in a list of different words, and is not always continued alike.

    Args:
        words: W words, none empty.
        counts: (W,) how often each occurs; they count for single characters.
        longest: characters of a piece.
    """
    text = "".join(words)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    weights = np.asarray(counts, np.float64)
    _, symbols = np.unique(points, return_inverse=True)
    room = np.repeat(starts[1:], sizes) - np.arange(len(points))  # characters to the word's end
    each = np.bincount(symbols, np.repeat(weights, sizes))
    levels = [_Length(np.arange(len(points)), symbols.astype(np.int32), np.bincount(symbols))]
    kept: list[np.ndarray] = []
    for length in range(2, longest + 1):
        if not (found := _continued(levels[-1], symbols, room, length)).at.size:
            break
        kept.append(_branches(levels[-1], found))
        levels.append(found)
    kept.append(np.ones(len(levels[-1].counts), bool))
    return _chosen(levels, kept, Lattice(starts, weights, *_NOTHING), points, each)


_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint16))


def _continued(before: _Length, symbols: np.ndarray, room: np.ndarray, length: int) -> _Length:
    """Sequences of one more character that occur often enough."""
    names = np.full(len(symbols) + 1, -1, np.int64)
    names[before.at] = before.names
    at = before.at[(room[before.at] >= length) & (names[before.at + 1] >= 0)]
    keys = names[at] * (int(symbols.max()) + 1) + symbols[at + length - 1]
    _, found, counts = np.unique(keys, return_inverse=True, return_counts=True)
    often = counts >= FEWEST
    is_kept = often[found]
    renamed = np.cumsum(often) - 1
    return _Length(at[is_kept], renamed[found[is_kept]].astype(np.int32), counts[often])


def _branches(before: _Length, after: _Length) -> np.ndarray:
    """Which sequences are not always followed by the same character."""
    firsts = np.empty(len(after.counts), np.int64)
    firsts[after.names[::-1]] = after.at[::-1]
    parents = before.names[np.searchsorted(before.at, firsts)]
    chosen = np.ones(len(before.counts), bool)
    chosen[parents[after.counts == before.counts[parents]]] = False
    return chosen


def _chosen(
    levels: list[_Length],
    kept: list[np.ndarray],
    lattice: Lattice,
    points: np.ndarray,
    characters: np.ndarray,
) -> Seeds:
    """Name the heaviest sequences, and lay out where they stand."""
    kept[0] = np.ones(len(characters), bool)
    sizes = range(1, len(levels) + 1)
    scores = np.concatenate(
        [level.counts[keep] * float(n) for n, level, keep in zip(sizes, levels, kept, strict=True)]
    )
    scores[: len(characters)] = np.inf
    is_in = np.zeros(len(scores), bool)
    is_in[np.argsort(-scores, kind="stable")[: max(MOST, len(characters))]] = True
    scores[: len(characters)] = characters
    edges = list(_edges(levels, kept, np.where(is_in, np.cumsum(is_in) - 1, -1)))
    places, lengths = _first_places(edges, int(is_in.sum()))
    laid = _laid_out(edges, lattice, len(points))
    return Seeds(laid, points, places, lengths, scores[is_in], len(characters))


def _edges(
    levels: list[_Length], kept: list[np.ndarray], names: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, for each length, places and the pieces there."""
    first = 0
    for level, keep in zip(levels, kept, strict=True):
        table = np.full(len(keep), -1, np.int64)
        last = first + int(keep.sum())
        table[keep] = names[first:last]
        first = last
        pieces = table[level.names]
        yield level.at[pieces >= 0], pieces[pieces >= 0].astype(np.int32)


def _first_places(
    edges: list[tuple[np.ndarray, np.ndarray]], number: int
) -> tuple[np.ndarray, np.ndarray]:
    places, lengths = np.empty(number, np.int64), np.empty(number, np.uint16)
    for size, (at, pieces) in enumerate(edges, 1):
        places[pieces[::-1]], lengths[pieces] = at[::-1], size
    return places, lengths


def _laid_out(
    edges: list[tuple[np.ndarray, np.ndarray]], lattice: Lattice, num_places: int
) -> Lattice:
    """Bring the edges into the order of their places, at each place the shortest first."""
    firsts = np.zeros(num_places + 1, np.int64)
    for at, _ in edges:
        firsts[at + 1] += 1
    firsts = np.cumsum(firsts)
    free = firsts[:-1].copy()
    pieces, lengths = np.empty(firsts[-1], np.int32), np.empty(firsts[-1], np.uint16)
    for size, (at, found) in enumerate(edges, 1):
        pieces[free[at]], lengths[free[at]] = found, size
        free[at] += 1
    return lattice._replace(firsts=firsts, pieces=pieces, lengths=lengths)
