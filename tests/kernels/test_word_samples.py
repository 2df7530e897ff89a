from __future__ import annotations

import zlib
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.word_statistics import crc_table
from foretext.corpus.word_table import WordTable
from foretext.kernels.word_samples import add_lengths, sample_words

WORDS = st.lists(st.text("abcÉж中𝔘", min_size=1, max_size=9), unique=True, max_size=30)


def counted(words: list[str], times: int = 1) -> WordTable:
    table = WordTable.of(words) if words else WordTable()
    table.counts[:] = times
    return table


@given(WORDS, WORDS, st.integers(1, 4))
def test_words_are_sampled_as_by_zlib(words: list[str], frequent: list[str], halvings: int) -> None:
    head, tail, shard = counted(frequent, 0), WordTable(), counted(words, 3)
    for _ in range(2):
        assert sample_words(
            shard.arrays, 0, head.arrays, tail.arrays, halvings, crc_table()
        ) == len(words)
    kept = [
        word.encode()
        for word in words
        if word not in frequent and zlib.crc32(word.encode()) >> (32 - halvings) == 0
    ]
    assert tail.words(np.arange(len(tail))) == kept
    assert tail.counts.tolist() == [6] * len(kept)
    assert head.counts.tolist() == [6 * (word in words) for word in frequent]


def test_a_full_tail_stops_at_the_word_that_has_no_room() -> None:
    shard, tail = counted([f"w{number}" for number in range(200)]), WordTable(max_words=2)
    kept = [number for number in range(200) if zlib.crc32(b"w%d" % number) < 1 << 31]
    stopped = sample_words(shard.arrays, 0, WordTable().arrays, tail.arrays, 1, crc_table())
    assert stopped == kept[2]


@given(WORDS)
def test_lengths_are_those_of_characters(words: list[str]) -> None:
    sums = np.zeros(1001, np.int64)
    add_lengths(counted(words, 2).arrays, sums)
    expected = Counter(map(len, words))
    assert {n: sums[n] for n in np.flatnonzero(sums)} == {n: 2 * expected[n] for n in expected}
