"""Word statistics in bounded memory: distinct words, their growth, coverage, frequent words.

Counts are exact up to `MOST_WORDS` distinct words. Beyond that the frequent ones stay exact and the
rare ones are sampled by their hash: a word is kept when its hash is below a bound that is halved
whenever the table is full (adaptive sampling; Flajolet 1990), so that scaling up is unbiased.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from foretext.corpus.findings import Coverage, FrequentWord, GrowthPoint

__all__ = ["MOST_WORDS", "WordStatistics"]

MOST_WORDS = 1_000_000
_HEAD = 20_000  # words with exact counts
_POINTS = 30
_FREQUENT = 50


class WordStatistics:
    """Counts words, text by text."""

    def __init__(self, most_words: int = MOST_WORDS) -> None:
        self.tokens = 0
        self._most_words = most_words
        self._head: Counter[str] = Counter()
        self._tail: Counter[str] = Counter()  # all words, until there are too many
        self._halvings = 0
        self._growth: list[GrowthPoint] = []

    def add(self, words: Sequence[str]) -> None:
        """Count `words` and record how the vocabulary grows."""
        self.tokens += len(words)
        if self._halvings:
            self._add_sampled(Counter(words))
        else:
            self._tail.update(words)
        while len(self._tail) > self._most_words:
            self._halve()
        self._growth.append(GrowthPoint(tokens=self.tokens, distinct_words=self.distinct))
        if len(self._growth) >= 64 * _POINTS:
            del self._growth[::2]

    @property
    def distinct(self) -> int:
        """Number of distinct words, estimated once it is not `exact`."""
        return len(self._head) + (len(self._tail) << self._halvings)

    @property
    def exact(self) -> bool:
        """Whether every word was kept."""
        return self._halvings == 0

    def growth(self) -> list[GrowthPoint]:
        """Return about thirty points from the first text to the last."""
        step = max(len(self._growth) / _POINTS, 1.0)
        picked = {int(index * step) for index in range(_POINTS)} | {len(self._growth) - 1}
        return [self._growth[index] for index in sorted(picked) if index < len(self._growth)]

    def coverage(self, min_count: int) -> Coverage:
        """Return how many words and tokens are left without words rarer than `min_count`."""
        head = [count for count in self._head.values() if count >= min_count]
        tail = [count for count in self._tail.values() if count >= min_count]
        tokens = min(sum(head) + (sum(tail) << self._halvings), self.tokens)
        return Coverage(
            min_count=min_count,
            words=len(head) + (len(tail) << self._halvings),
            tokens=tokens,
            token_rate=tokens / max(self.tokens, 1),
        )

    def frequent(self, number: int = _FREQUENT) -> list[FrequentWord]:
        """Return the most frequent words, ties by the word."""
        both = [*self._head.items(), *self._tail.items()]
        best = sorted(both, key=lambda item: (-item[1], item[0]))[:number]
        return [
            FrequentWord(word=word, count=count, rate=count / self.tokens) for word, count in best
        ]

    def word_lengths(self) -> Iterator[tuple[int, int]]:
        """Yield (characters, occurrences) of each kept word."""
        both = chain(self._head.items(), self._tail.items())
        return ((len(word), count) for word, count in both)

    def _add_sampled(self, counts: Counter[str]) -> None:
        for word, count in counts.items():
            if word in self._head:
                self._head[word] += count
            elif self._is_kept(word):
                self._tail[word] += count

    def _halve(self) -> None:
        if not self._halvings:
            self._head = Counter(dict(self._tail.most_common(min(_HEAD, self._most_words // 2))))
        self._halvings += 1
        self._tail = Counter(
            {
                word: count
                for word, count in self._tail.items()
                if word not in self._head and self._is_kept(word)
            }
        )

    def _is_kept(self, word: str) -> bool:
        return zlib.crc32(word.encode()) >> (32 - self._halvings) == 0
