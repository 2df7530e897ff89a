"""Fewer dimensions by principal components: the directions in which the vectors differ most.

Pearson 1901, "On lines and planes of closest fit"; exactly, by the eigenvectors of the (D, D)
matrix of second moments in float64, so that a vocabulary of millions needs no more memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.errors import SettingError
from foretext.vectors.linear_map import map_vectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Reduction", "reduce_dimensions"]

_BLOCK_ROWS = 65536  # rows that are float64 at one time


class Reduction(NamedTuple):
    """Vectors of fewer dimensions, and what they are made of.

    A new vector (D,) goes the same way: ``(vector - mean) @ directions``, without the mean where it
    is None.
    """

    vectors: WordVectors  # (V, K)
    variance_rate: float  # the share of the variance that is kept, 0 to 1
    directions: NDArray[np.float64]  # (D, K), orthonormal columns, the most variance first
    mean: NDArray[np.float64] | None  # (D,)


def reduce_dimensions(vectors: WordVectors, dim: int, *, remove_mean: bool = False) -> Reduction:
    """Project vectors (V, D) on the `dim` directions that keep most of their variance.

    Without `remove_mean` the variance is that around the origin, from which cosines are measured,
    and no other projection keeps the products of all words better (Eckart and Young 1936). With it
    the mean of the vocabulary is taken out first, as scikit-learn's PCA does; what all words share
    is then gone from their cosines. Counts, n-grams and the way of splitting texts stay.

    Raises:
        SettingError: `dim` is less than 1 or more than there are dimensions or words, or the mean
            is to be removed from vectors with n-grams.
    """
    _check(vectors, dim, remove_mean)
    rows = vectors.vectors  # (V, D)
    mean = rows.mean(axis=0, dtype=np.float64) if remove_mean else None
    variances, directions = np.linalg.eigh(_second_moments(rows, mean))  # ascending
    kept = _with_fixed_signs(directions[:, ::-1][:, :dim])
    rate = _share(variances.clip(min=0)[::-1], dim)
    return Reduction(map_vectors(vectors, kept, mean), rate, kept, mean)


def _check(vectors: WordVectors, dim: int, remove_mean: bool) -> None:
    largest = min(len(vectors), vectors.vector_size)
    if not 1 <= dim <= largest:
        raise SettingError(
            f"dim = {dim}: {len(vectors):,} words of {vectors.vector_size} dimensions can be "
            f"reduced to 1 to {largest}."
        )
    if remove_mean and vectors.subwords is not None:
        raise SettingError(
            "remove_mean = true: the mean cannot be taken out of n-grams; leave it in, or convert "
            "the vectors to a file without n-grams, such as .txt, first."
        )


def _second_moments(
    rows: NDArray[np.float32], mean: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the sum (D, D) of the outer product of each row, less `mean`, with itself."""
    moments = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS].astype(np.float64)
        if mean is not None:
            block -= mean
        moments += block.T @ block
    return moments


def _with_fixed_signs(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn each column so that its largest entry is positive; either sign is an eigenvector."""
    largest = np.abs(directions).argmax(axis=0)
    signs = np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
    turned: NDArray[np.float64] = directions * signs
    return turned


def _share(variances: NDArray[np.float64], dim: int) -> float:
    """Return the share of the first `dim`; of no variance at all nothing is lost."""
    total = float(variances.sum())
    return float(variances[:dim].sum()) / total if total else 1.0
