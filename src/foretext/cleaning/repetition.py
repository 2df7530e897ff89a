"""How much of a document repeats itself: lines and n-grams (Rae et al. 2021, table A1).

Characters are those of words: the blanks between them count neither above nor below the line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.cleaning.text_facts import TextFacts

__all__ = [
    "repeated_line_characters",
    "repeated_line_rate",
    "repeated_ngram_rate",
    "top_ngram_rate",
]

DENSE_FACTOR = 2  # characters that stand for a word, about, where n-grams are counted
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def repeated_line_rate(facts: TextFacts) -> float:
    """Return the share of lines that repeat an earlier one."""
    return facts.share_of_lines(len(facts.lines) - len(set(facts.lines)))


def repeated_line_characters(facts: TextFacts) -> float:
    """Return the share of characters in lines that repeat an earlier one."""
    total = sum(map(len, facts.lines))
    return (total - sum(map(len, set(facts.lines)))) / max(total, 1)


def top_ngram_rate(facts: TextFacts, n: int) -> float:
    """Return the share of characters in the most frequent n-gram; 0 where none comes twice.

    Of n-grams that come equally often, the longest counts.
    """
    if n > 1 and facts.repeats_no_pair:
        return 0.0
    ngrams = _ngrams(facts, n)
    if not len(ngrams):
        return 0.0
    _, first, counts = np.unique(ngrams, return_index=True, return_counts=True)
    most = counts.max()
    if most < 2:
        return 0.0
    lengths = _ngram_lengths(facts, n)[first[counts == most]]
    return float(min(most * lengths.max() / facts.word_lengths.sum(), 1.0))


def repeated_ngram_rate(facts: TextFacts, n: int) -> float:
    """Return the share of characters in n-grams that repeat an earlier one, each counted once."""
    if n > 1 and facts.repeats_no_pair:
        return 0.0
    ngrams = _ngrams(facts, n)
    if not len(ngrams):
        return 0.0
    _, first = np.unique(ngrams, return_index=True)
    if len(first) == len(ngrams):
        return 0.0
    repeats = np.ones(len(ngrams), np.int64)
    repeats[first] = 0
    edges = np.zeros(len(facts.words) + 1, np.int64)
    edges[: len(ngrams)] += repeats
    edges[-len(ngrams) :] -= repeats
    covered = np.cumsum(edges[:-1]) > 0  # (W,)
    return float(facts.word_lengths[covered].sum() / facts.word_lengths.sum())


def _ngrams(facts: TextFacts, n: int) -> NDArray[np.uint64]:
    """Return a hash of each n-gram, (W - n + 1,)."""
    n = _length(facts, n)
    ids = facts.word_ids.astype(np.uint64) + np.uint64(1)
    size = max(len(ids) - n + 1, 0)
    hashes = np.zeros(size, np.uint64)
    for offset in range(n if size else 0):
        hashes = (hashes ^ ids[offset : offset + size]) * _FACTOR
        hashes ^= hashes >> np.uint64(32)
    return hashes


def _ngram_lengths(facts: TextFacts, n: int) -> NDArray[np.int64]:
    """Return the characters of each n-gram, (W - n + 1,)."""
    ends = np.concatenate(([0], np.cumsum(facts.word_lengths)))
    size = _length(facts, n)
    return ends[size:] - ends[:-size]


def _length(facts: TextFacts, n: int) -> int:
    """Return the words of an n-gram; of Chinese twice as many characters."""
    return n * DENSE_FACTOR if facts.is_dense else n
