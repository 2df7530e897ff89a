"""Texts that stand for others: a few of many vectors from which no other one is far.

`k_center` is the greedy algorithm of Gonzalez 1985, whose largest distance is at most twice the
least possible one; for labels: Sener and Savarese 2018, Active Learning for Convolutional Neural
Networks. `cluster_centers` takes the text next to the centre of each cluster of k-means, weighted
by uncertainty: Zhdanov 2019, Diverse mini-batch Active Learning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cluster_centers", "k_center"]

ROUNDS = 50  # of k-means, at most
BLOCK = 1 << 22  # distances that are computed together

Vectors = NDArray[np.float32]


def k_center(
    vectors: Vectors, number: int, covered: Vectors | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return which vectors to take, the farthest first, and how far each was from those before it.

    Args:
        vectors: (N, D).
        number: of vectors to take, at most N.
        covered: (M, D) vectors that are taken already; None: the first is the one next to the mean.

    Returns:
        (number,) their rows, and (number,) distances.
    """
    squares = _squares(vectors)
    nearest = np.full(len(vectors), np.inf, np.float32)  # squared distance to what is taken
    for point in vectors[:0] if covered is None else covered:
        _come_near(nearest, vectors, squares, point)
    taken, distances = [], []
    for _ in range(min(number, len(vectors))):
        is_first = not np.isfinite(nearest).all()
        chosen = _next_to_mean(vectors, squares) if is_first else int(nearest.argmax())
        taken.append(chosen)
        distances.append(0.0 if is_first else float(np.sqrt(max(nearest[chosen], 0.0))))
        _come_near(nearest, vectors, squares, vectors[chosen])
        nearest[chosen] = -1.0  # never again, even where all others are equal to it
    return np.array(taken, np.int64), np.array(distances)


def cluster_centers(
    vectors: Vectors,
    number: int,
    weights: NDArray[np.float64],
    covered: Vectors | None = None,
    *,
    seed: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row next to the centre of each of so many clusters, the largest cluster first.

    Args:
        vectors: (N, D).
        number: of clusters, at most N.
        weights: (N,) of the vectors, in the centres; from 0.
        covered: (M, D) vectors that are taken already: centres of more clusters, which stay where
            they are; None: there are none.
        seed: of the draws of the first centres (Arthur and Vassilvitskii 2007, k-means++).

    Returns:
        (number,) rows, each once, and (number,) vectors of their clusters.
    """
    number = min(number, len(vectors))
    weights = np.maximum(weights, 1e-6)
    if covered is None:
        covered = vectors[:0]
    first = _first_centers(vectors, number, weights, covered, seed)
    centers = vectors[first].astype(np.float32)
    own = np.full(len(vectors), -1)
    for _ in range(ROUNDS):
        before, own = own, _closest(vectors, np.concatenate([centers, covered]))
        if (own == before).all():
            break
        _move(centers, vectors, own, weights)
    sizes = np.bincount(own, minlength=number)[:number]
    order = np.argsort(-sizes, kind="stable")
    return _rows_next_to(centers[order], vectors), sizes[order]


def _first_centers(
    vectors: Vectors,
    number: int,
    weights: NDArray[np.float64],
    covered: Vectors,
    seed: int,
) -> list[int]:
    """Return rows, each drawn by its weight and its squared distance to those before it.

    Of several that are drawn the one is taken that brings all others nearest to a centre.
    """
    rng = np.random.default_rng(seed)
    squares = _squares(vectors)
    nearest = np.full(len(vectors), np.inf, np.float32)
    for point in covered:
        _come_near(nearest, vectors, squares, point)
    num_draws = 2 + int(np.log(number))
    chosen: list[int] = []
    while len(chosen) < number:
        near = np.where(np.isfinite(nearest), nearest, 1.0)  # 1: nothing is chosen or covered yet
        shares = near.astype(np.float64) * weights
        shares[chosen] = 0.0
        if not shares.any():  # all others are equal to one of them
            shares = np.where(np.isin(np.arange(len(vectors)), chosen), 0.0, weights)
        best: tuple[float, int, Vectors] | None = None
        for index in rng.choice(len(vectors), num_draws, p=shares / shares.sum()).tolist():
            after = nearest.copy()
            _come_near(after, vectors, squares, vectors[index])
            left = float(after @ weights)  # the sum that k-means makes smaller
            best = (left, index, after) if best is None or left < best[0] else best
        assert best is not None
        _, index, nearest = best
        chosen.append(index)
    return chosen


def _move(
    centers: Vectors, vectors: Vectors, own: NDArray[np.int64], weights: NDArray[np.float64]
) -> None:
    """Put each centre into the middle of its vectors; an empty one stays."""
    order = np.argsort(own, kind="stable")
    starts = np.searchsorted(own[order], np.arange(len(centers) + 1))
    for center in range(len(centers)):
        rows = order[starts[center] : starts[center + 1]]
        if len(rows):
            centers[center] = np.average(vectors[rows], axis=0, weights=weights[rows])


def _rows_next_to(centers: Vectors, vectors: Vectors) -> NDArray[np.int64]:
    """Return the row next to each centre, each once."""
    squares = _squares(vectors)
    free = np.ones(len(vectors), bool)
    rows = []
    for center in centers:
        distances = squares - 2.0 * (vectors @ center)
        distances[~free] = np.inf
        rows.append(int(distances.argmin()))
        free[rows[-1]] = False
    return np.array(rows, np.int64)


def _closest(vectors: Vectors, centers: Vectors) -> NDArray[np.int64]:
    """Return the centre of each vector, (N,)."""
    squares = _squares(centers)
    size = max(BLOCK // len(centers), 1)
    found = [
        (squares - 2.0 * (vectors[start : start + size] @ centers.T)).argmin(1)
        for start in range(0, len(vectors), size)
    ]
    return np.concatenate(found)


def _come_near(
    nearest: Vectors, vectors: Vectors, squares: Vectors, point: NDArray[np.float32]
) -> None:
    """Lower the squared distances (N,) to what is taken by those to one more point."""
    distances = squares - 2.0 * (vectors @ point) + point @ point
    np.minimum(nearest, np.maximum(distances, 0.0), out=nearest, where=nearest >= 0.0)


def _next_to_mean(vectors: Vectors, squares: Vectors) -> int:
    return int((squares - 2.0 * (vectors @ vectors.mean(0))).argmin())


def _squares(vectors: Vectors) -> Vectors:
    found: Vectors = np.einsum("nd,nd->n", vectors, vectors)
    return found
