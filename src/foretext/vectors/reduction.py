"""Word vectors of fewer dimensions, by principal components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.alignment import map_vectors
from foretext.vectors.principal_components import principal_components
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Reduction", "reduce_dimensions"]


class Reduction(NamedTuple):
    """Vectors of fewer dimensions, and what they are made of.

    A new vector (D,) goes the same way: ``(vector - mean) @ directions``, without the mean where it
    is None.
    """

    vectors: WordVectors  # (V, K)
    variance_rate: float  # the share of the variance that is kept, 0 to 1
    directions: NDArray[np.float64]  # (D, K), the most variance first; orthonormal columns, each
    # row divided by the standard deviation of its dimension where the vectors are standardised
    mean: NDArray[np.float64] | None  # (D,)


def reduce_dimensions(
    vectors: WordVectors, dim: int, *, remove_mean: bool = False, standardize: bool = False
) -> Reduction:
    """Project vectors (V, D) on the `dim` directions that keep most of their variance.

    Without `remove_mean` the variance is that around the origin, from which cosines are measured,
    and no other projection keeps the products of all words better (Eckart and Young 1936). With it
    the mean of the vocabulary is taken out first, as scikit-learn's PCA does; what all words share
    is then gone from their cosines. With `standardize` each dimension is also divided by its
    standard deviation, so that all count alike, however large their numbers are. Counts, n-grams
    and the way of splitting texts stay.

    Raises:
        SettingError: `dim` is less than 1 or more than there are dimensions or words, or the mean
            is to be removed from vectors with n-grams.
    """
    _check(vectors, dim, remove_mean or standardize)
    if standardize:
        return _of_standardised(vectors, dim)
    found = principal_components(vectors.vectors, dim, remove_mean=remove_mean)
    reduced = map_vectors(vectors, found.directions, found.mean)
    return Reduction(reduced, found.variance_rate, found.directions, found.mean)


def _of_standardised(vectors: WordVectors, dim: int) -> Reduction:
    """Project on the directions of the correlations, not of the covariances."""
    mean = vectors.vectors.mean(axis=0, dtype=np.float64)
    deviations = vectors.vectors.std(axis=0, dtype=np.float64)
    scale = np.where(deviations, deviations, 1.0)  # a constant is nothing but its mean
    rows = ((vectors.vectors - mean) / scale).astype(np.float32)
    found = principal_components(rows, dim, remove_mean=False)
    directions = found.directions / scale[:, None]
    reduced = map_vectors(vectors, directions, mean)
    return Reduction(reduced, found.variance_rate, directions, mean)


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
