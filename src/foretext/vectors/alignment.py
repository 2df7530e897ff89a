"""Two spaces turned onto one another, so that a word's vectors in both can be compared.

Orthogonal Procrustes: Schönemann 1966, "A generalized solution of the orthogonal Procrustes
problem"; for word vectors Hamilton, Leskovec and Jurafsky 2016, "Diachronic Word Embeddings Reveal
Statistical Laws of Semantic Change".

One matrix applied to every vector of a vocabulary, and to those of its n-grams. A word's vector
is the mean of its n-grams', so a linear map of the n-grams is the same map of the words, of
unseen ones too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Alignment", "align_vectors", "best_rotation", "common_words", "map_vectors"]

_BLOCK_ROWS = 65536  # rows that are float64 at one time


class Alignment(NamedTuple):
    """One space turned onto another."""

    vectors: WordVectors  # (V, D), all words of the space that was turned
    rotation: NDArray[np.float64]  # (D, D), orthogonal; rows are multiplied by it from the left
    words: list[str]  # the N words that the rotation was found on
    residual: float  # root mean square distance of these words' two vectors


def align_vectors(
    source: WordVectors,
    target: WordVectors,
    *,
    words: Sequence[str] | None = None,
    unit_length: bool = True,
) -> Alignment:
    """Turn `source` so that its words come to lie as near as can be to those of `target`.

    A rotation (or reflection) changes no cosine within `source`. It is found on `words`, by default
    all that both have; with `unit_length` each counts by its direction alone, and the residual is
    then a distance on the unit sphere: 0 the same, 1.41 unrelated.

    Raises:
        SettingError: the dimensions differ, or there are fewer words than dimensions.
        UnknownWordError: one of `words` has no vector.
    """
    words = common_words(source, target) if words is None else list(words)
    _check(source, target, len(words))
    here, there = source[words], target[words]  # (N, D) each
    if unit_length:
        here, there = unit_rows(here), unit_rows(there)
    rotation = best_rotation(here, there)
    residual = _root_mean_square(here, there, rotation)
    return Alignment(map_vectors(source, rotation), rotation, words, residual)


def common_words(first: WordVectors, second: WordVectors) -> list[str]:
    """Return the words that both vocabularies have, in the order of the first."""
    return [word for word in first if word in second]


def best_rotation(source: NDArray[np.float32], target: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the orthogonal R (D, D) with the least ‖source R - target‖ over rows (N, D)."""
    cross = np.zeros((source.shape[1], target.shape[1]))
    for start in range(0, len(source), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        cross += source[block].T.astype(np.float64) @ target[block].astype(np.float64)
    left, _, right = np.linalg.svd(cross)
    rotation: NDArray[np.float64] = left @ right
    return rotation


def _check(source: WordVectors, target: WordVectors, num_words: int) -> None:
    if source.vector_size != target.vector_size:
        raise SettingError(
            f"vectors of {source.vector_size} and of {target.vector_size} dimensions cannot be "
            f"aligned; reduce the larger ones first (foretext reduce)."
        )
    if num_words < source.vector_size:
        raise SettingError(
            f"only {num_words:,} words to align {source.vector_size} dimensions by, and at least "
            f"as many as dimensions are needed; check that both are of one language and letter "
            f"case, or reduce them to fewer dimensions first (foretext reduce)."
        )


def _root_mean_square(
    source: NDArray[np.float32], target: NDArray[np.float32], rotation: NDArray[np.float64]
) -> float:
    total = 0.0
    for start in range(0, len(source), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        total += float(np.square(source[block] @ rotation - target[block]).sum())
    return float(np.sqrt(total / len(source)))


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
