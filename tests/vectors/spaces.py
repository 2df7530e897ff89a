"""Small spaces to turn, project and compare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["random_space", "rotation", "with_ngrams"]


def random_space(num_words: int = 200, dim: int = 8, seed: int = 0) -> WordVectors:
    """Words w0, w1, ... whose dimensions differ in variance, around a mean that is not zero."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((num_words, dim)) * np.linspace(3, 0.5, dim) + 1
    counts = np.arange(num_words, 0, -1)
    return WordVectors([f"w{number}" for number in range(num_words)], vectors, counts)


def rotation(dim: int, seed: int = 0) -> NDArray[np.float64]:
    """An orthogonal matrix (D, D)."""
    square = np.random.default_rng(seed).standard_normal((dim, dim))
    return np.linalg.qr(square)[0]


def with_ngrams(dim: int = 4) -> WordVectors:
    """Words that are the means of their n-grams, as fastText learns them; "cats" was never met."""
    words = ["cat", "cart", "car", "art", "rat", "tar"]
    ngrams = CharacterNgrams(2, 3, 50)
    rng = np.random.default_rng(0)
    buckets = np.unique(ngrams.buckets(words)[1]).astype(np.int64)
    rows = np.arange(len(buckets), dtype=np.int32)
    subwords = SubwordVectors(
        ngrams, buckets, rows, rng.standard_normal((len(buckets), dim)).astype(np.float32)
    )
    own = rng.standard_normal((len(words), dim)).astype(np.float32)
    return WordVectors(words, subwords.word_vectors(words, own), subwords=subwords)
