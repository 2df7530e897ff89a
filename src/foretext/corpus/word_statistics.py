"""Word statistics in bounded memory: distinct words, their growth, coverage, frequent words.

Counts are exact up to `MOST_WORDS` distinct words. Beyond that the frequent ones stay exact and the
rare ones are sampled by their hash: a word is kept when its hash is below a bound that is halved
whenever there are too many (adaptive sampling; Flajolet 1990), so that scaling up is unbiased.

Words come shard by shard, in the order of the text, so that who counted them changes nothing.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.findings import Coverage, FrequentWord, GrowthPoint
from foretext.corpus.word_table import WordTable
from foretext.kernels.word_table import MAX_WORD_BYTES
from foretext.kernels.words import add_lengths

__all__ = ["MOST_WORDS", "WordStatistics", "crc_table"]

MOST_WORDS = 1_000_000
_HEAD = 20_000  # words with exact counts
_POINTS = 30
_FREQUENT = 50


class WordStatistics:
    """Counts words, shard by shard."""

    def __init__(self, most_words: int = MOST_WORDS) -> None:
        self.tokens = 0
        self._most_words = most_words
        self._all = WordTable()  # until there are too many
        self._head = WordTable()
        self._tail = WordTable()
        self._halvings = 0
        self._growth: list[GrowthPoint] = []

    def add(self, words: WordTable, points: Sequence[tuple[int, int]]) -> None:
        """Count the words of a shard and record how the vocabulary grows.

        Args:
            words: in the order in which they occur first.
            points: how many tokens and how many of `words` there are up to the end of each block.
        """
        if self.exact:
            self._add_all(words, points)
        else:
            self._add_sampled(words)
        self.tokens += words.num_tokens
        if self.exact and len(self._all) > self._most_words:
            self._begin_sampling()
        while len(self._tail) > self._most_words:
            self._halve()
        if not self.exact:
            self._growth.append(GrowthPoint(tokens=self.tokens, distinct_words=self.distinct))
        while len(self._growth) >= 64 * _POINTS:
            del self._growth[::2]

    @property
    def distinct(self) -> int:
        """Number of distinct words, estimated once it is not `exact`."""
        return len(self._all) + len(self._head) + (len(self._tail) << self._halvings)

    @property
    def exact(self) -> bool:
        """Whether every word was kept."""
        return self._halvings == 0

    def growth(self) -> list[GrowthPoint]:
        """Return about thirty points from the first block to the last."""
        step = max(len(self._growth) / _POINTS, 1.0)
        picked = {int(index * step) for index in range(_POINTS)} | {len(self._growth) - 1}
        return [self._growth[index] for index in sorted(picked) if index < len(self._growth)]

    def coverage(self, min_count: int) -> Coverage:
        """Return how many words and tokens are left without words rarer than `min_count`."""
        words = tokens = 0
        for table, halvings in ((self._all, 0), (self._head, 0), (self._tail, self._halvings)):
            kept = table.counts[table.counts >= min_count]
            words += len(kept) << halvings
            tokens += int(kept.sum()) << halvings
        tokens = min(tokens, self.tokens)
        return Coverage(
            min_count=min_count,
            words=words,
            tokens=tokens,
            token_rate=tokens / max(self.tokens, 1),
        )

    def frequent(self, number: int = _FREQUENT) -> list[FrequentWord]:
        """Return the most frequent words, ties by the word."""
        tables = (self._all, self._head, self._tail)
        counts = np.concatenate([table.counts for table in tables])
        least = np.partition(counts, -number)[-number] if len(counts) > number else 0
        kept = (pair for table in tables for pair in _pairs(table, least))
        best = heapq.nsmallest(number, kept, key=lambda item: (-item[1], item[0]))
        return [
            FrequentWord(word=word.decode(), count=count, rate=count / self.tokens)
            for word, count in best
        ]

    def word_lengths(self) -> dict[int, int]:
        """Return the occurrences of kept words by their characters."""
        sums = np.zeros(MAX_WORD_BYTES + 1, np.int64)
        for table in (self._all, self._head, self._tail):
            add_lengths(table.arrays, sums)
        return {int(at): int(sums[at]) for at in np.flatnonzero(sums)}

    def _add_all(self, words: WordTable, points: Sequence[tuple[int, int]]) -> None:
        first = 0
        for tokens, last in points:
            self._all.merge_some(words, first, last)
            point = GrowthPoint(tokens=self.tokens + tokens, distinct_words=len(self._all))
            self._growth.append(point)
            first = last

    def _begin_sampling(self) -> None:
        """Take the most frequent words out of the table, and a half of the others."""
        number = min(_HEAD, self._most_words // 2)
        self._head = self._all.some(np.argsort(-self._all.counts, kind="stable")[:number])
        self._halvings = 1
        self._add_sampled(self._all)
        self._all = WordTable()

    def _halve(self) -> None:
        self._halvings += 1
        before, self._tail = self._tail, WordTable()
        self._add_sampled(before)

    def _add_sampled(self, words: WordTable) -> None:
        self._tail.merge_sampled(words, self._head, self._halvings, crc_table())


@cache
def crc_table() -> NDArray[np.uint32]:
    """(256,), by which a byte changes a CRC-32."""
    last = [zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256)]
    return np.array(last, np.uint32)


def _pairs(table: WordTable, least: int) -> list[tuple[bytes, int]]:
    """Return the words with at least this count, each with its count."""
    indices = np.flatnonzero(table.counts >= least)
    return [*zip(table.words(indices), table.counts[indices].tolist(), strict=True)]
