"""Vectors of character n-grams, from which words that were never met get theirs.

Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information". As in the authors'
program the vector of a known word is the mean of its own row and those of its n-grams, and the
vector of an unseen word the mean of its n-grams' rows. A bucket that none of the vocabulary's
n-grams fell into has learned nothing and counts as zero; the authors leave its first value, which
is noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.vectors.neighbors import unit_rows
from foretext.vectors.ngrams import CharacterNgrams, marked_bytes

__all__ = ["SubwordVectors"]


class SubwordVectors:
    """The n-gram half of a fastText model.

    Args:
        ngrams: how words are cut and hashed.
        buckets: (B,) int64, ascending, those with a vector.
        rows: (B,) int32, where in `vectors`; buckets may share a row.
        vectors: (R, D) float32.
    """

    def __init__(
        self,
        ngrams: CharacterNgrams,
        buckets: NDArray[np.int64],
        rows: NDArray[np.int32],
        vectors: NDArray[np.float32],
    ) -> None:
        assert len(buckets) == len(rows), (len(buckets), len(rows))
        self.ngrams = ngrams
        self.buckets = buckets
        self.rows = rows
        self.vectors = vectors

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return the mean of the word's n-grams (D,), or None where none of them is known."""
        _, rows = self._rows_of([word])
        known = rows[rows >= 0]
        if len(known) == 0:
            return None
        mean: NDArray[np.float32] = self.vectors[known].sum(axis=0) / np.float32(len(rows))
        return mean

    def sums(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the summed n-gram vectors of each word (V, D), and how many n-grams it has."""
        from foretext.kernels.ngrams import ngram_sums

        starts, rows = self._rows_of(words)
        sums = np.zeros((len(words), self.vectors.shape[1]), np.float32)
        ngram_sums(starts, rows, self.vectors, sums)
        return sums, np.diff(starts)

    def word_vectors(
        self, words: Sequence[str], word_rows: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the vectors of known words (V, D) from their own rows (V, D)."""
        sums, counts = self.sums(words)
        sums += word_rows
        sums /= (counts + 1)[:, None].astype(np.float32)
        return sums

    def word_rows(self, words: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the own rows of known words (V, D) from their vectors: `word_vectors` undone."""
        sums, counts = self.sums(words)
        rows: NDArray[np.float32] = vectors * (counts + 1)[:, None].astype(np.float32) - sums
        return rows

    def of(self, word: str) -> list[tuple[str, NDArray[np.float32]]]:
        """Return the n-grams of a word that are known, with their vectors."""
        _, rows = self._rows_of([word])
        pairs = zip(self.ngrams.of(word), rows.tolist(), strict=True)
        return [(ngram, self.vectors[row]) for ngram, row in pairs if row >= 0]

    def nearest(
        self, vector: NDArray[np.float32], words: Sequence[str], topn: int | None = 10
    ) -> list[tuple[str, float]]:
        """Return the n-grams of `words` nearest to a vector (D,), with cosines.

        Of n-grams that share a bucket or a row one is named.
        """
        text, starts = marked_bytes(words)
        _, buckets, spans = self.ngrams.hashed(text, starts)
        rows = self._rows_at(buckets)
        rows, first = np.unique(rows, return_index=True)
        scores = unit_rows(self.vectors[rows]) @ unit_rows(vector[None])[0]
        best = np.argsort(-scores)[:topn]
        return [
            (text[slice(*spans[first[at]])].tobytes().decode(), float(scores[at])) for at in best
        ]

    def _rows_of(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (starts, rows) of the n-grams of each word; -1 where one has no vector."""
        starts, buckets = self.ngrams.buckets(words)
        return starts, self._rows_at(buckets)

    def _rows_at(self, buckets: NDArray[np.int32]) -> NDArray[np.int64]:
        if len(self.buckets) == 0:
            return np.full(len(buckets), -1, np.int64)
        at = np.minimum(np.searchsorted(self.buckets, buckets), len(self.buckets) - 1)
        return np.where(self.buckets[at] == buckets, self.rows[at], -1).astype(np.int64)
