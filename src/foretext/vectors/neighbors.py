"""Nearest rows by cosine for many queries at once, exactly, in the memory of one tile.

Queries and vocabulary meet tile by tile in one matrix product each, and a compiled pass over its
scores keeps the best of every query; partitioning them would cost as much as the products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Nearest",
    "comparable_rows",
    "inverse_norms",
    "nearest_others",
    "num_shared",
    "search",
    "unit_rows",
]

_QUERY_TILE = 256
_ROW_TILE = 2048  # 256 × 2048 scores are 2 MB, still in cache when they are looked through
_LARGEST_HEAP = 1000  # larger ones are slower than sorting
_LARGEST, _SMALLEST = 2.0**40, 2.0**-40  # squares and sums of what lies between are exact enough


class Nearest(NamedTuple):
    """The best rows of each query, best first; of equal scores the lower row comes first."""

    rows: NDArray[np.int64]  # (Q, k)
    scores: NDArray[np.float32]  # (Q, k)


def inverse_norms(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 / length of each row (V,); 0 for a row of zeros, whose cosine is then 0.

    The rows are `comparable_rows`.
    """
    norms = np.sqrt(np.einsum("vd,vd->v", vectors, vectors, dtype=np.float64))
    inverse = np.zeros(len(vectors), dtype=np.float32)
    np.divide(1, norms, out=inverse, where=norms > 0, casting="same_kind")
    return inverse


def comparable_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows (N, D) of which products can be made: those near the limits of floats scaled.

    Each such row is multiplied by a power of 2, which changes neither its direction nor a digit.
    Where there is none, as almost always, the rows come back themselves, not a copy.
    """
    if not vectors.size:
        return vectors
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))  # (N,)
    is_odd = (largest > _LARGEST) | ((largest < _SMALLEST) & (largest > 0))
    if not is_odd.any():
        return vectors
    scaled = vectors.copy()
    exponents = np.frexp(largest[is_odd])[1]
    scaled[is_odd] = np.ldexp(vectors[is_odd], -exponents[:, None])
    return scaled


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows (N, D) with length 1; those of zeros stay zeros."""
    rows = comparable_rows(vectors)
    unit: NDArray[np.float32] = rows * inverse_norms(rows)[:, None]
    return unit


def search(
    vectors: NDArray[np.float32],
    inverse: NDArray[np.float32],
    queries: NDArray[np.float32],
    k: int,
) -> Nearest:
    """Find for each of `queries` (Q, D), of unit length, the `k` nearest of `vectors` (V, D).

    The vectors are `comparable_rows`.

    `inverse` (V,) is what `inverse_norms` gives; the scores are cosines. Where there are fewer than
    `k` rows, all of them come.
    """
    k = max(min(k, len(vectors)), 0)
    if len(queries) == 1 or k > _LARGEST_HEAP:  # nothing to share, and no kernel to wait for
        found = [_search_alone(vectors, inverse, query, k) for query in queries]
    else:
        tiles = range(0, len(queries), _QUERY_TILE)
        found = [_search_tile(vectors, inverse, queries[q : q + _QUERY_TILE], k) for q in tiles]
    empty = Nearest(np.empty((0, k), dtype=np.int64), np.empty((0, k), dtype=np.float32))
    return Nearest(*(np.concatenate(parts) for parts in zip(empty, *found, strict=True)))


def nearest_others(
    vectors: NDArray[np.float32], rows: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return for each of `rows` (Q,) the `k` rows of `vectors` (V, D) nearest to it, but itself.

    There must be more than `k` vectors.
    """
    assert 0 <= k < len(vectors), (k, len(vectors))
    vectors = comparable_rows(vectors)
    queries = unit_rows(vectors[rows])
    found = search(vectors, inverse_norms(vectors), queries, k + 1).rows  # (Q, k + 1)
    left_out = found == rows[:, None]
    left_out[:, -1] |= ~left_out.any(axis=1)  # k + 1 others are as near: the last one goes
    others: NDArray[np.int64] = found[~left_out].reshape(len(rows), k)
    return others


def num_shared(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many numbers (Q,) each row of `first` (Q, k) shares with that of `second`.

    No number stands twice in a row.
    """
    both = np.sort(np.concatenate([first, second], axis=1), axis=1)
    shared: NDArray[np.int64] = (both[:, 1:] == both[:, :-1]).sum(axis=1, dtype=np.int64)
    return shared


def _search_alone(
    vectors: NDArray[np.float32], inverse: NDArray[np.float32], query: NDArray[np.float32], k: int
) -> Nearest:
    scores = (vectors @ query) * inverse  # (V,)
    bar = np.partition(scores, -k)[-k] if k else np.inf
    rows = np.flatnonzero(scores >= bar)[None]  # (1, k or more)
    return _sorted(Nearest(rows, scores[rows]), k)


def _search_tile(
    vectors: NDArray[np.float32], inverse: NDArray[np.float32], queries: NDArray[np.float32], k: int
) -> Nearest:
    from foretext.kernels.nearest import keep_best

    best = Nearest(
        rows=np.full((len(queries), k), len(vectors), dtype=np.int64),
        scores=np.full((len(queries), k), -np.inf, dtype=np.float32),
    )
    if k == 0:
        return best
    buffer = np.empty(len(queries) * _ROW_TILE, dtype=np.float32)
    for start in range(0, len(vectors), _ROW_TILE):
        tile = vectors[start : start + _ROW_TILE]
        scores = buffer[: len(queries) * len(tile)].reshape(len(queries), len(tile))
        np.matmul(queries, tile.T, out=scores)  # (Q, R)
        keep_best(scores, inverse[start : start + _ROW_TILE], start, best.scores, best.rows)
    return _sorted(best, k)


def _sorted(found: Nearest, k: int) -> Nearest:
    """Return the best `k` of each query, best first; of equal scores the lower row first."""
    order = np.lexsort((found.rows, -found.scores), axis=-1)[:, :k]
    return Nearest(
        np.take_along_axis(found.rows, order, axis=1),
        np.take_along_axis(found.scores, order, axis=1),
    )
