"""Nearest rows by cosine for many queries at once, exactly, in the memory of one tile.

Queries and vocabulary meet tile by tile in one matrix product each. After the first tile every
query has a bar, its k-th best score so far, and of the later tiles only the few scores above the
bar are looked at again; sorting or partitioning every score would cost more than the products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Nearest", "inverse_norms", "search", "unit_rows"]

_QUERY_TILE = 256
_ROW_TILE = 8192  # 256 × 8192 scores are 8 MB
_MOST_CANDIDATES = 4  # times k, before the best are picked and the bar rises
_SMALLEST_NORM = 1e-38  # the inverse of less is no float32; such a row counts as zeros


class Nearest(NamedTuple):
    """The best rows of each query, best first; of equal scores the lower row comes first."""

    rows: NDArray[np.int64]  # (Q, k)
    scores: NDArray[np.float32]  # (Q, k)


def inverse_norms(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 / length of each row (V,); 0 for a row of zeros, whose cosine is then 0."""
    norms = np.sqrt(np.einsum("vd,vd->v", vectors, vectors, dtype=np.float64))
    inverse = np.zeros(len(vectors), dtype=np.float32)
    np.divide(1, norms, out=inverse, where=norms > _SMALLEST_NORM, casting="same_kind")
    return inverse


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows (N, D) with length 1; those of zeros stay zeros."""
    unit: NDArray[np.float32] = vectors * inverse_norms(vectors)[:, None]
    return unit


def search(
    vectors: NDArray[np.float32],
    inverse: NDArray[np.float32],
    queries: NDArray[np.float32],
    k: int,
) -> Nearest:
    """Find for each of `queries` (Q, D), of unit length, the `k` nearest of `vectors` (V, D).

    `inverse` (V,) is what `inverse_norms` gives; the scores are cosines. Where there are fewer than
    `k` rows, all of them come.
    """
    k = min(k, len(vectors))
    found = [
        _search_tile(vectors, inverse, queries[start : start + _QUERY_TILE], k)
        for start in range(0, len(queries), _QUERY_TILE)
    ]
    if not found:
        return Nearest(np.empty((0, k), dtype=np.int64), np.empty((0, k), dtype=np.float32))
    return Nearest(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _search_tile(
    vectors: NDArray[np.float32],
    inverse: NDArray[np.float32],
    queries: NDArray[np.float32],
    k: int,
) -> Nearest:
    candidates: list[_Candidates] = []
    bar = np.full((len(queries), 1), -np.inf, dtype=np.float32)
    for start in range(0, len(vectors), _ROW_TILE):
        scores = queries @ vectors[start : start + _ROW_TILE].T  # (Q, R)
        scores *= inverse[start : start + _ROW_TILE]
        if start == 0 and scores.shape[1] > k:
            bar = np.nextafter(np.partition(scores, -k, axis=1)[:, -k, None], -np.inf)
        candidates.append(_above(bar, scores, start))
        if sum(len(part.rows) for part in candidates) > _MOST_CANDIDATES * k * len(queries):
            candidates = [_best(candidates, len(queries), k)]
            bar = candidates[0].scores.reshape(len(queries), -1)[:, -1, None]
    rows, scores = _best(candidates, len(queries), k)[1:]
    return Nearest(rows.reshape(len(queries), -1), scores.reshape(len(queries), -1))


class _Candidates(NamedTuple):
    """Scores that may be among the best, one after another."""

    queries: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


def _above(bar: NDArray[np.float32], scores: NDArray[np.float32], start: int) -> _Candidates:
    """Return the scores (Q, R) above each query's bar (Q, 1); their rows count from `start`."""
    places = np.flatnonzero(scores > bar)
    queries, rows = np.divmod(places, scores.shape[1])
    return _Candidates(queries, rows + start, scores.ravel()[places])


def _best(parts: list[_Candidates], num_queries: int, k: int) -> _Candidates:
    """Return the best `k` of each query, or all where there are fewer, best first."""
    queries, rows, scores = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((rows, -scores, queries))
    starts = np.searchsorted(queries[order], np.arange(num_queries + 1))
    width = min(k, int(np.diff(starts).min()))
    kept = order[starts[:-1, None] + np.arange(width)].ravel()
    return _Candidates(queries[kept], rows[kept], scores[kept])
