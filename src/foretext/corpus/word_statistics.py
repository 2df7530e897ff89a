"""Word statistics in bounded memory: distinct words, their growth, coverage, frequent words.

Counts are exact up to `MOST_WORDS` distinct words. Beyond that the frequent ones stay exact and the
rare ones are sampled by their hash: a word is kept when its hash is below a bound that is halved
whenever there are too many (adaptive sampling; Flajolet 1990), so that scaling up is unbiased.

Words come shard by shard, in the order of the text, so that who counted them changes nothing.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from foretext.corpus.findings import Coverage, FrequentWord, GrowthPoint
from foretext.corpus.word_table import WordTable

__all__ = ["MOST_WORDS", "WordStatistics"]

MOST_WORDS = 1_000_000
_HEAD = 20_000  # words with exact counts
_POINTS = 30
_FREQUENT = 50
_AT_ONCE = 1 << 16  # words that are Python's objects together

Counts = dict[bytes, int]
Pairs = list[tuple[bytes, int]]


class WordStatistics:
    """Counts words, shard by shard."""

    def __init__(self, most_words: int = MOST_WORDS) -> None:
        self.tokens = 0
        self._most_words = most_words
        self._all = WordTable()  # until there are too many
        self._head: Counts = {}
        self._tail: Counts = {}
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
        for counts, halvings in self._counts():
            kept = counts[counts >= min_count]
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
        counts = np.concatenate([counts for counts, _ in self._counts()])
        least = np.partition(counts, -number)[-number] if len(counts) > number else 0
        kept = (pair for pairs in self._kept() for pair in pairs if pair[1] >= least)
        best = heapq.nsmallest(number, kept, key=lambda item: (-item[1], item[0]))
        return [
            FrequentWord(word=word.decode(), count=count, rate=count / self.tokens)
            for word, count in best
        ]

    def word_lengths(self) -> Iterator[tuple[int, int]]:
        """Yield (characters, occurrences) of kept words, some of equal length together."""
        for pairs in self._kept():
            words, counts = zip(*pairs, strict=True)
            lengths = np.fromiter(map(len, map(bytes.decode, words)), np.int64, len(words))
            sums = np.zeros(lengths.max() + 1, np.int64)
            np.add.at(sums, lengths, counts)
            yield from ((int(at), int(sums[at])) for at in np.flatnonzero(sums))

    def _counts(self) -> Iterator[tuple[np.ndarray, int]]:
        """Yield counts of words, and how often they were halved."""
        yield self._all.counts, 0
        for counts, halvings in ((self._head, 0), (self._tail, self._halvings)):
            yield np.fromiter(counts.values(), np.int64, len(counts)), halvings

    def _kept(self) -> Iterator[Pairs]:
        """Yield words and their counts, many at a time, of which none is empty."""
        yield from _pairs(self._all)
        yield from ([*counts.items()] for counts in (self._head, self._tail) if counts)

    def _add_all(self, words: WordTable, points: Sequence[tuple[int, int]]) -> None:
        first = 0
        for tokens, last in points:
            self._all.merge_some(words, first, last)
            point = GrowthPoint(tokens=self.tokens + tokens, distinct_words=len(self._all))
            self._growth.append(point)
            first = last

    def _add_sampled(self, words: WordTable) -> None:
        for word, count in chain.from_iterable(_pairs(words)):
            if word in self._head:
                self._head[word] += count
            elif self._is_kept(word):
                self._tail[word] = self._tail.get(word, 0) + count

    def _begin_sampling(self) -> None:
        """Take the most frequent words out of the table, and a half of the others."""
        self._halvings = 1
        number = min(_HEAD, self._most_words // 2)
        order = np.argsort(-self._all.counts, kind="stable")[:number]
        counts = self._all.counts[order].tolist()
        self._head = dict(zip(self._all.words(order), counts, strict=True))
        self._tail = {
            word: count
            for word, count in chain.from_iterable(_pairs(self._all))
            if word not in self._head and self._is_kept(word)
        }
        self._all = WordTable()

    def _halve(self) -> None:
        self._halvings += 1
        self._tail = {word: count for word, count in self._tail.items() if self._is_kept(word)}

    def _is_kept(self, word: bytes) -> bool:
        return zlib.crc32(word) >> (32 - self._halvings) == 0


def _pairs(table: WordTable) -> Iterator[Pairs]:
    """Yield words and their counts, many at a time."""
    for first in range(0, len(table), _AT_ONCE):
        indices = np.arange(first, min(first + _AT_ONCE, len(table)))
        yield [*zip(table.words(indices), table.counts[indices].tolist(), strict=True)]
