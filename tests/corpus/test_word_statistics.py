from __future__ import annotations

import random
from collections import Counter

import pytest

from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.word_statistics import WordStatistics
from foretext.corpus.word_table import WordTable

WHITESPACE = PreTokenizer("whitespace")


def added(statistics: WordStatistics, *blocks: str) -> None:
    """Add blocks as one shard."""
    words, points, tokens = WordTable(), [], 0
    for block in blocks:
        words.count(WHITESPACE.utf8(block), 0, WHITESPACE.letters)
        tokens += len(block.split())
        points.append((tokens, len(words)))
    statistics.add(words, points)


def test_small_vocabularies_are_counted_exactly() -> None:
    statistics = WordStatistics()
    added(statistics, "a b a c", "a b d")
    assert (statistics.tokens, statistics.distinct, statistics.exact) == (7, 4, True)
    assert [(point.tokens, point.distinct_words) for point in statistics.growth()] == [
        (4, 3),
        (7, 4),
    ]
    assert [(each.word, each.count) for each in statistics.frequent(2)] == [("a", 3), ("b", 2)]
    kept = statistics.coverage(2)
    assert (kept.words, kept.tokens, kept.token_rate) == (2, 5, 5 / 7)
    added(statistics, "a çé")
    assert [(point.tokens, point.distinct_words) for point in statistics.growth()][2:] == [(9, 5)]
    assert statistics.word_lengths() == {1: 8, 2: 1}


def test_large_vocabularies_are_estimated_in_bounded_memory() -> None:
    generator = random.Random(0)
    words = [f"w{int(generator.paretovariate(0.4))}" for _ in range(100_000)]
    exact = Counter(words)
    statistics = WordStatistics(most_words=4000)
    for start in range(0, len(words), 1000):
        added(statistics, " ".join(words[start : start + 1000]))
    assert not statistics.exact
    assert statistics.distinct == pytest.approx(len(exact), rel=0.1)
    for min_count in (2, 5, 10):
        expected = sum(count >= min_count for count in exact.values())
        assert statistics.coverage(min_count).words == pytest.approx(expected, rel=0.2)
    assert statistics.frequent(1)[0].count == exact.most_common(1)[0][1]


def test_growth_keeps_about_thirty_points() -> None:
    statistics = WordStatistics()
    for number in range(5000):
        added(statistics, str(number))
    growth = statistics.growth()
    assert 25 <= len(growth) <= 35
    assert growth[-1].tokens == growth[-1].distinct_words == 5000
