"""Vectors in a byte for every few numbers (Jégou et al. 2011; Joulin et al. 2016, FastText.zip).

A vector is cut into parts of `dsub` numbers; each part is replaced by the number of the nearest of
256 centroids, which k-means has found among all vectors' parts in that place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.base.runtime import Threads
from foretext.kernels.quantisation import CENTROIDS, nearest_centroids
from foretext.tasks.fasttext.rows import are_weights

__all__ = ["CENTROIDS", "ProductQuantizer"]

ROUNDS = 25  # of k-means, as in the authors' program
MOST_POINTS = 64 * CENTROIDS  # that the centroids are learned from


class ProductQuantizer:
    """P parts of S numbers, of which the last may lack some.

    Args:
        dim: D, numbers of a vector.
        centroids: (P, 256, S) float32, zeros where the last part has no numbers.
    """

    def __init__(self, dim: int, centroids: NDArray[np.float32]) -> None:
        assert centroids.shape[0] == -(-dim // centroids.shape[2]), (dim, centroids.shape)
        self.dim = dim
        self.centroids = centroids

    @staticmethod
    def fits(dim: int, centroids: NDArray[np.float32]) -> bool:
        """Whether centroids of a file are those of vectors of `dim` numbers, and finite."""
        num_parts, number, size = centroids.shape
        return (
            number == CENTROIDS
            and 1 <= size <= dim
            and num_parts == -(-dim // size)
            and are_weights(centroids)
        )

    @classmethod
    def learn(
        cls, vectors: NDArray[np.float32], dsub: int, seed: int, workers: int = 1
    ) -> ProductQuantizer:
        """Find centroids for vectors (N, D), N > 0, drawn by their length.

        Drawn evenly, as in the authors' program, the many short vectors of rare n-grams get most
        centroids, and the few long ones that decide on a label get none.
        """
        rng = np.random.default_rng(seed)
        parts = _parts(vectors[_drawn(vectors, rng)], dsub)
        seeds = rng.integers(2**31, size=len(parts)).tolist()
        with Threads(workers) as pool:
            found = list(pool.map(_k_means, parts, seeds))
        return cls(vectors.shape[1], np.stack(found))

    @property
    def dsub(self) -> int:
        """S."""
        return self.centroids.shape[2]

    @property
    def num_parts(self) -> int:
        """P, bytes of a vector."""
        return len(self.centroids)

    def encode(self, vectors: NDArray[np.float32], workers: int = 1) -> NDArray[np.uint8]:
        """Return the codes (N, P) of vectors (N, D)."""
        with Threads(workers) as pool:
            codes = list(pool.map(_nearest, _parts(vectors, self.dsub), self.centroids))
        return np.ascontiguousarray(np.stack(codes, axis=1))

    def decode(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the vectors (N, D) that codes (N, P) stand for."""
        parts = self.centroids[np.arange(self.num_parts), codes]  # (N, P, S)
        return np.ascontiguousarray(parts.reshape(len(codes), -1)[:, : self.dim])


def _drawn(vectors: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    if len(vectors) <= CENTROIDS:
        return np.arange(len(vectors))
    lengths = np.linalg.norm(vectors, axis=1).astype(np.float64) + np.finfo(np.float32).tiny
    return rng.choice(len(vectors), min(len(vectors), MOST_POINTS), p=lengths / lengths.sum())


def _parts(vectors: NDArray[np.float32], dsub: int) -> list[NDArray[np.float32]]:
    """Return P arrays (N, S), the last filled up with zeros."""
    missing = -vectors.shape[1] % dsub
    padded = np.pad(vectors, ((0, 0), (0, missing))) if missing else vectors
    return [
        np.ascontiguousarray(padded[:, at : at + dsub]) for at in range(0, padded.shape[1], dsub)
    ]


def _k_means(points: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Return (256, S): means of the points (N, S) nearest to each (Lloyd's algorithm)."""
    rng = np.random.default_rng(seed)
    centroids = points[rng.integers(len(points), size=CENTROIDS)]
    first = rng.permutation(len(points))[:CENTROIDS]
    centroids[: len(first)] = points[first]
    for _ in range(ROUNDS):
        codes = _nearest(points, centroids)
        sizes = np.bincount(codes, minlength=CENTROIDS)
        for axis in range(points.shape[1]):
            sums = np.bincount(codes, points[:, axis], CENTROIDS)
            np.divide(sums, sizes, out=sums, where=sizes > 0)
            centroids[:, axis] = np.where(sizes > 0, sums, centroids[:, axis])
        empty = np.flatnonzero(sizes == 0)
        centroids[empty] = points[rng.integers(len(points), size=len(empty))]
    return centroids


def _nearest(points: NDArray[np.float32], centroids: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return (N,), which of the centroids (256, S) is nearest to each point (N, S)."""
    codes = np.empty(len(points), np.uint8)
    squares = np.einsum("ks,ks->k", centroids, centroids)
    columns = np.ascontiguousarray(centroids.T).ravel()
    distances = np.empty(CENTROIDS, np.float32)
    nearest_centroids(points, columns, squares, distances, distances.view(np.int32), codes)
    return codes
