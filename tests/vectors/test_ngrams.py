"""Character n-grams: the example of the paper, the original's hashes, and shared rows."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.vectors import ngrams as module
from foretext.vectors.ngrams import LINE_END, CharacterNgrams, SubwordTable

DEFAULT = CharacterNgrams(3, 6, 2_000_000)
# Read off the original program: `fasttext.get_subword_id`, less the number of words.
HASHES = {
    "<wh": 167652,
    "whe": 420941,
    "her": 1473420,
    "ere": 1529033,
    "re>": 867498,
    "北京": 1908609,
    "ïv>": 1364423,
}
WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def plain_ngrams(word: str, minn: int, maxn: int) -> list[str]:
    """All of them, from the left, shorter ones first; a single mark is none."""
    marked = f"<{word}>"
    last = len(marked)
    spans = [(a, a + n) for a in range(last) for n in range(minn, maxn + 1) if a + n <= last]
    return [marked[a:b] for a, b in spans if b - a > 1 or 0 < a < last - 1]


def plain_hash(ngram: str) -> int:
    """FNV-1a with bytes taken as signed, in Python's integers."""
    value = 2166136261
    for byte in ngram.encode():
        signed = byte - 256 if byte > 127 else byte
        value = (value ^ signed & 0xFFFFFFFF) * 16777619 & 0xFFFFFFFF
    return value


def test_where() -> None:
    assert CharacterNgrams(3, 3, 2_000_000).of("where") == ["<wh", "whe", "her", "ere", "re>"]


def test_lengths_count_characters() -> None:
    assert CharacterNgrams(2, 3, 100).of("日本") == ["<日", "<日本", "日本", "日本>", "本>"]


@given(word=WORD, minn=st.integers(1, 4), more=st.integers(0, 3))
def test_ngrams_are_those_of_a_plain_loop(word: str, minn: int, more: int) -> None:
    ngrams = CharacterNgrams(minn, minn + more, 1000)
    assert ngrams.of(word) == plain_ngrams(word, minn, minn + more)


@given(words=st.lists(WORD, max_size=5))
def test_buckets_are_fnv_1a_of_signed_bytes(words: list[str]) -> None:
    starts, buckets = DEFAULT.buckets(words)
    expected = [
        [plain_hash(ngram) % DEFAULT.bucket for ngram in plain_ngrams(word, 3, 6)]
        if word != LINE_END
        else []
        for word in words
    ]
    found = [buckets[a:b].tolist() for a, b in pairwise(starts)]
    assert found == expected


@pytest.mark.parametrize("ngram", HASHES)
def test_hashes_of_the_original(ngram: str) -> None:
    assert plain_hash(ngram) % 2_000_000 == HASHES[ngram]


def test_the_mark_of_a_line_end_has_no_ngrams() -> None:
    assert DEFAULT.of(LINE_END) == []


def test_no_ngrams() -> None:
    assert CharacterNgrams(1, 0, 0).of("where") == []
    table = SubwordTable.build(["a", "b"], np.ones(2), CharacterNgrams(1, 0, 0))
    assert table.num_units.tolist() == [1, 1]
    assert len(table.buckets) == 0


WORDS = ["banana", "bananas", "ban", "a", "singing", "rings"]


def test_units_that_always_occur_together_share_a_row() -> None:
    ngrams = CharacterNgrams(3, 3, 10_000)
    table = SubwordTable.build(WORDS, np.ones(len(WORDS)), ngrams)
    row = dict(zip(table.buckets.tolist(), table.bucket_rows.tolist(), strict=True))

    def row_of(ngram: str) -> int:
        return row[plain_hash(ngram) % 10_000]

    assert row_of("<si") == row_of("gin") == table.word_rows[4]  # in singing alone, once
    assert row_of("<ba") == row_of("ban")  # in three words, once each
    assert row_of("ana") != row_of("nan")  # twice and once in banana
    assert row_of("na>") != row_of("nas")  # in banana and in bananas
    assert row_of("ing") not in (row_of("sin"), row_of("rin"))


def test_a_words_rows_weigh_as_many_as_its_units() -> None:
    table = SubwordTable.build(WORDS, np.ones(len(WORDS)), DEFAULT)
    for word, (a, b) in enumerate(pairwise(table.starts)):
        assert table.weights[a:b].sum() == table.num_units[word]
        assert table.num_units[word] == 1 + len(DEFAULT.of(WORDS[word]))
        assert table.word_rows[word] in table.rows[a:b]
    assert table.members.sum() == len(WORDS) + len(table.buckets)


def test_frequent_rows_come_first() -> None:
    uses = np.array([1, 1, 1, 100, 1, 1])
    table = SubwordTable.build(WORDS, uses, DEFAULT)
    assert table.word_rows[3] == 0


def test_many_words_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{number:x}ing{number % 7}" * (1 + number % 2) for number in range(20_000)]
    uses = np.random.default_rng(1).random(len(words))
    expected = SubwordTable.build(words, uses, DEFAULT)
    monkeypatch.setattr(module, "WORDS_AT_ONCE", 1000)
    tracemalloc.start()
    try:
        found = SubwordTable.build(words, uses, DEFAULT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    assert peak < 60 * found.num_units.sum()  # bytes
