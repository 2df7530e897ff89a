"""Which character n-grams a word has, and which rows of a matrix stand for them.

Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information", section 3.2: ``where``
has the n-grams ``<wh whe her ere re>`` of length 3, and a row of its own. N-grams are hashed into
buckets, and an n-gram is no more than its bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["CharacterNgrams", "SubwordTable", "marked_bytes"]


LINE_END = "</s>"
WORDS_AT_ONCE = 1 << 14  # whose rows are compared together


class CharacterNgrams(NamedTuple):
    """Lengths of n-grams in characters, and the number of buckets that they are hashed into."""

    minn: int
    maxn: int  # 0: no n-grams
    bucket: int

    def of(self, word: str) -> list[str]:
        """Return the n-grams of one word, in the order of the original program."""
        text, starts = marked_bytes([word])
        spans = self.hashed(text, starts)[2]
        return [text[start:end].tobytes().decode() for start, end in spans]

    def buckets(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return (starts, buckets), (V + 1,) and (E,): those of word w begin at ``starts[w]``."""
        starts, buckets, _ = self._hashed(*marked_bytes(words), with_spans=False)
        return starts, buckets

    def hashed(self, text: np.ndarray, word_starts: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return (starts, buckets, spans) of words as `marked_bytes` gives them."""
        return self._hashed(text, word_starts, with_spans=True)

    def _hashed(
        self, text: np.ndarray, word_starts: np.ndarray, *, with_spans: bool
    ) -> tuple[np.ndarray, ...]:
        from foretext.kernels.ngrams import ngram_spans

        size = max(self.bucket, 1)
        return ngram_spans(text, word_starts, self.minn, self.maxn, size, with_spans=with_spans)


class SubwordTable(NamedTuple):
    """The rows that make up each word of a vocabulary.

    A unit is a word itself or a bucket of n-grams. Units that occur in the same words, equally
    often, get the same gradients for ever: they share one row, which enters a word's sum once for
    each of them. In English text that leaves some 55,000 rows of 150,000, and three quarters of the
    rows a word. Frequent rows come first, so that they lie close together.
    """

    starts: np.ndarray  # (V + 1,) int64
    rows: np.ndarray  # (E,) int32, those of word w begin at starts[w]
    weights: np.ndarray  # (E,) float32, how many of the word's units each row stands for
    num_units: np.ndarray  # (V,) int64, units of each word: the sum of its weights
    pulls: np.ndarray  # (V,) int64, the same with units squared by how often the word has them
    members: np.ndarray  # (R,) int64, units that share each row
    word_rows: np.ndarray  # (V,) int32, the row of each word itself
    buckets: np.ndarray  # (B,) int64, buckets that occur, ascending
    bucket_rows: np.ndarray  # (B,) int32, their rows

    @classmethod
    def build(cls, words: Sequence[str], uses: np.ndarray, ngrams: CharacterNgrams) -> SubwordTable:
        """Hash the n-grams of `words`; `uses` (V,) says how often each will be met."""
        from foretext.kernels.ngrams import word_signatures

        starts, hashed = ngrams.buckets(words)
        occurs = np.zeros(max(ngrams.bucket, 1), bool)
        occurs[hashed] = True
        buckets = np.flatnonzero(occurs)
        number = np.cumsum(occurs) - 1
        own = len(buckets) + np.arange(len(words))  # a word's own unit, before its n-grams
        units = np.insert(number[hashed], starts[:-1], own)
        del hashed, number, occurs  # of many words they are large
        starts = starts + np.arange(len(starts))

        signatures = word_signatures(starts, units, len(buckets) + len(words))
        _, first, row, members = np.unique(
            signatures, return_index=True, return_inverse=True, return_counts=True
        )
        speaks = first[row] == np.arange(len(row))  # one unit speaks for all that share its row
        listed = speaks[units]
        before = np.zeros(len(units) + 1, np.int64)
        np.cumsum(listed, out=before[1:])
        entries, rows = before[starts], row[units[listed]]
        del units, listed, before
        pulls, heat = np.zeros(len(words), np.int64), np.zeros(len(members))
        for at in range(0, len(words), WORDS_AT_ONCE):
            ends = entries[at : at + WORDS_AT_ONCE + 1]
            own_rows = rows[ends[0] : ends[-1]]
            word = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            np.add.at(heat, own_rows, uses[at : at + WORDS_AT_ONCE][word].astype(np.float64))
            pairs, times = np.unique(word * len(members) + own_rows, return_counts=True)
            word, row_of_pair = np.divmod(pairs, len(members))
            np.add.at(pulls, at + word, members[row_of_pair] * times**2)
        order = np.argsort(-heat, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return cls(
            starts=entries,
            rows=place[rows].astype(np.int32),
            weights=members[rows].astype(np.float32),
            num_units=np.diff(starts),
            pulls=pulls,
            members=members[order],
            word_rows=place[row[len(buckets) :]].astype(np.int32),
            buckets=buckets,
            bucket_rows=place[row[: len(buckets)]].astype(np.int32),
        )


def marked_bytes(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return all words as UTF-8 between ``<`` and ``>``, and where each begins: (V + 1,).

    fastText's mark of a line end has no n-grams. Half of a surrogate pair becomes ``?``.
    """
    encoded = [
        b"" if word == LINE_END else f"<{word}>".encode("utf-8", "replace") for word in words
    ]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return np.frombuffer(b"".join(encoded), np.uint8), np.insert(np.cumsum(lengths), 0, 0)
