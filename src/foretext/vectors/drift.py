"""Words that are used otherwise in one corpus than in another: their neighbours are other words.

Neighbours in common need no alignment of the spaces: Gonen et al. 2020, "Simple, Interpretable and
Stable Method for Detecting Words with Usage Change across Corpora". The cosine after alignment is
given beside it: Hamilton, Leskovec and Jurafsky 2016. Two trainings on one corpus differ too, most
for rare words, so a figure means something only beside that of such a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.alignment import align_vectors, common_words
from foretext.vectors.neighbors import nearest_others, num_shared, unit_rows
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Drift", "WordDrift", "measure_drift"]


class WordDrift(NamedTuple):
    """What became of one word."""

    word: str
    change: float  # 1 - Jaccard similarity of the two sets of neighbours; 1 is none in common
    cosine: float  # of its two vectors, after alignment
    before: list[str]  # its neighbours in the first space, nearest first
    after: list[str]  # and in the second


class Drift(NamedTuple):
    """What became of each of the N words that were compared."""

    words: list[str]  # as in the first space
    change: NDArray[np.float64]  # (N,)
    cosine: NDArray[np.float64]  # (N,)
    before: NDArray[np.int64]  # (N, k) indices into words
    after: NDArray[np.int64]  # (N, k)
    residual: float  # of the alignment

    def most_changed(self, num_words: int = 20) -> list[WordDrift]:
        """Return the words with the fewest neighbours in common; of equal ones the lower cosine."""
        order = np.lexsort((self.cosine, -self.change))
        return [self._of(row) for row in order[:num_words].tolist()]

    def _of(self, row: int) -> WordDrift:
        before, after = ([self.words[n] for n in near[row]] for near in (self.before, self.after))
        return WordDrift(
            self.words[row], float(self.change[row]), float(self.cosine[row]), before, after
        )


def measure_drift(
    first: WordVectors,
    second: WordVectors,
    *,
    topn: int = 10,
    min_count: int = 1,
    restrict_vocab: int | None = 30_000,
) -> Drift:
    """Compare the words that two vocabularies have in common.

    The neighbours of a word are the `topn` nearest of the words compared: those with at least
    `min_count` occurrences in both, and of these the first `restrict_vocab` of `first`, which are
    the most frequent ones; time grows with the square of their number.

    Raises:
        SettingError: `topn` is not at least 1, the dimensions differ, fewer words are left than
            dimensions, or `min_count` is asked of vectors without counts.
    """
    if topn < 1:
        raise SettingError(f"topn = {topn}: at least one neighbour is needed to compare.")
    words = common_words(first, second)
    for vectors in (first, second):
        words = _frequent(vectors, words, min_count)
    words = words[:restrict_vocab]
    aligned = align_vectors(first, second, words=words)
    k = min(topn, len(words) - 1)
    rows = np.arange(len(words))
    before, after = (nearest_others(vectors[words], rows, k) for vectors in (first, second))
    shared = num_shared(before, after)  # (N,)
    cosine = np.einsum(
        "nd,nd->n", unit_rows(aligned.vectors[words]), unit_rows(second[words]), dtype=np.float64
    )
    change = 1 - shared / np.maximum(2 * k - shared, 1)
    return Drift(words, change, cosine, before, after, aligned.residual)


def _frequent(vectors: WordVectors, words: list[str], min_count: int) -> list[str]:
    if min_count <= 1:
        return words
    if vectors.counts is None:
        raise SettingError(
            f"min_count = {min_count}: one of the two came without counts of its words; compare "
            f"runs or .safetensors files, which keep them, or leave min_count at 1."
        )
    rows, counts = vectors.key_to_index, vectors.counts
    return [word for word in words if counts[rows[word]] >= min_count]
