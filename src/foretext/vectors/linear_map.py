"""One matrix applied to every vector of a vocabulary, and to those of its n-grams.

A word's vector is the mean of its n-grams', so a linear map of the n-grams is the same map of the
words, of unseen ones too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["map_vectors"]

_BLOCK_ROWS = 65536  # rows that are float64 at one time


def map_vectors(
    vectors: WordVectors, matrix: NDArray[np.float64], mean: NDArray[np.float64] | None = None
) -> WordVectors:
    """Return the words with their vectors less `mean` (D,) times `matrix` (D, K), as float32.

    A mean and n-grams do not go together: what is subtracted from a word would have to depend on
    how many of its n-grams are known.
    """
    assert mean is None or vectors.subwords is None, "n-grams cannot be centred"
    return WordVectors(
        vectors.index_to_key,
        _mapped(vectors.vectors, matrix, mean),
        vectors.counts,
        _mapped_subwords(vectors.subwords, matrix),
        split=vectors.split,
    )


def _mapped_subwords(
    subwords: SubwordVectors | None, matrix: NDArray[np.float64]
) -> SubwordVectors | None:
    if subwords is None:
        return None
    mapped = _mapped(subwords.vectors, matrix, None)
    return SubwordVectors(subwords.ngrams, subwords.buckets, subwords.rows, mapped)


def _mapped(
    rows: NDArray[np.float32], matrix: NDArray[np.float64], mean: NDArray[np.float64] | None
) -> NDArray[np.float32]:
    mapped = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS].astype(np.float64)
        mapped[start : start + _BLOCK_ROWS] = (block if mean is None else block - mean) @ matrix
    return mapped
