"""What fastText learns: a row for each group of sub-words, and an output vector for each word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.kernels.fasttext_arrays import Subwords
from foretext.kernels.fasttext_words import word_sums
from foretext.kernels.simd import aligned_zeros, padded
from foretext.vectors.ngrams import CharacterNgrams, SubwordTable
from foretext.vectors.room import refuse_without_room
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["SubwordWeights"]


class SubwordWeights:
    """Input rows of sub-words and output rows of a vocabulary whose word 0 has neither.

    Args:
        words: V words.
        uses: (V,), how often each is met; it decides the order of rows in memory alone.
        ngrams: how words are cut.
        dim: D.
        num_null_rows: rows of zeros behind the outputs, one a worker.
        seed: of the first values: uniform in +-1 / D a sub-word as in the authors' program; outputs
            begin with zero.
    """

    def __init__(
        self,
        words: list[str],
        uses: np.ndarray,
        ngrams: CharacterNgrams,
        dim: int,
        num_null_rows: int,
        seed: int,
    ) -> None:
        self.words = words[1:]
        self.ngrams = ngrams
        self.dim = dim
        self.stride = padded(dim)
        self.table = SubwordTable.build(self.words, uses[1:], ngrams)
        num_rows = len(self.table.members) + len(words) + num_null_rows
        refuse_without_room(num_rows, self.stride)
        self.inputs = aligned_zeros(len(self.table.members), self.stride)
        self.outputs = aligned_zeros(len(words) + num_null_rows, self.stride)
        rng = np.random.default_rng(seed)
        start = rng.random(self.rows.shape, np.float32)
        start -= np.float32(0.5)
        # As wide as the mean of m independent values, as a row stands for m sub-words.
        start *= (2 / dim / np.sqrt(self.table.members)).astype(np.float32)[:, None]
        self.rows[...] = start

    @property
    def rows(self) -> NDArray[np.float32]:
        """Input rows without padding, (R, D)."""
        return self.inputs.reshape(-1, self.stride)[:, : self.dim]

    @property
    def word_outputs(self) -> NDArray[np.float32]:
        """Output vectors, (V - 1, D)."""
        return self.outputs.reshape(-1, self.stride)[1 : len(self.words) + 1, : self.dim]

    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Return how often each row is met, (R,), from how often each word is, (V,)."""
        table = self.table
        parts = np.repeat(chances[1:], np.diff(table.starts))
        return np.bincount(table.rows, parts, minlength=len(table.members))

    def subwords(self) -> Subwords:
        """The rows of each word for the kernel; word 0 has none."""
        table = self.table
        num_units, pulls = (
            np.insert(numbers, 0, 0).astype(np.float32)
            for numbers in (table.num_units, table.pulls)
        )
        return Subwords(np.insert(table.starts, 0, 0), table.rows, table.weights, num_units, pulls)

    def sums(self) -> NDArray[np.float32]:
        """The summed rows of each word, (V, D); zeros for word 0."""
        sums = np.zeros((len(self.words) + 1) * self.stride, np.float32)
        word_sums(self.inputs, self.subwords(), self.stride, sums)
        return sums.reshape(-1, self.stride)[:, : self.dim]

    def vectors(self) -> NDArray[np.float32]:
        """The mean of each word's rows, (V - 1, D)."""
        means: NDArray[np.float32] = self.sums()[1:]
        means /= self.table.num_units[:, None].astype(np.float32)
        return means

    def subword_vectors(self) -> SubwordVectors:
        """The n-grams' rows; those that stand for words alone are left behind."""
        used, rows = np.unique(self.table.bucket_rows, return_inverse=True)
        return SubwordVectors(
            self.ngrams, self.table.buckets, rows.astype(np.int32), self.rows[used]
        )

    def go_on_from(self, base: WordVectors, base_outputs: NDArray[np.float32] | None) -> None:
        """Begin with the rows of `base` for the words and n-grams that it knows.

        Raises:
            SettingError: it has vectors of another size, or no n-grams of this kind.
        """
        if base.vector_size != self.dim:
            raise SettingError(
                f"The vectors to go on from have {base.vector_size} dimensions, but vector_size is "
                f"{self.dim}; set vector_size = {base.vector_size}."
            )
        if base.subwords is None or base.subwords.ngrams != self.ngrams:
            found = "none" if base.subwords is None else f"{base.subwords.ngrams}"
            raise SettingError(
                f"fastText goes on from vectors with the same n-grams, {self.ngrams}, but these "
                f"have {found}; set minn, maxn and bucket to theirs."
            )
        known = np.array([base.key_to_index.get(word, -1) for word in self.words])
        here = np.flatnonzero(known >= 0)
        there = known[here]
        own = base.subwords.word_rows(base.index_to_key, base.vectors)[there]
        _, at, base_at = np.intersect1d(
            self.table.buckets, base.subwords.buckets, assume_unique=True, return_indices=True
        )
        rows = np.concatenate([self.table.word_rows[here], self.table.bucket_rows[at]])
        values = np.concatenate([own, base.subwords.vectors[base.subwords.rows[base_at]]])
        total = np.zeros_like(self.rows)
        np.add.at(total, rows, values)
        count = np.bincount(rows, minlength=len(total))
        self.rows[count > 0] = total[count > 0] / count[count > 0, None]
        if base_outputs is not None:
            self.word_outputs[here] = base_outputs[there]
