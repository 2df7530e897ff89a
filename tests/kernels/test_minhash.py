from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from foretext.cleaning.signatures import Words, hash_words, split_text
from foretext.kernels.minhash import EMPTY, band_keys, minhash
from tests.kernels import minhash_twin as twin

WORD = st.text("abcAB1éж中あก", min_size=1, max_size=12)
TEXT = st.lists(WORD, max_size=30).map(" ".join) | st.text(max_size=40)


def parts(words: Words) -> list[list[int]]:
    return [part.tolist() for part in np.split(words.hashes, words.starts[1:-1])]


def signed(words: Words, multipliers: list[int], increments: list[int]) -> NDArray[np.uint32]:
    found = np.empty((len(words.starts) - 1, len(multipliers)), np.uint32)
    minhash(*words, np.array(multipliers, np.uint32), np.array(increments, np.uint32), found)
    return found


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_words_are_hashed_as_by_the_twin(texts: list[str]) -> None:
    expected = [[twin.word_hash(word) for word in split_text(text)] for text in texts]
    assert parts(hash_words(texts)) == expected


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=9), min_size=1), st.integers(1, 6))
def test_grams_are_hashed_as_by_the_twin(documents: list[list[int]], n: int) -> None:
    starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    words = Words(np.array([word for words in documents for word in words], np.uint64), starts)
    assert parts(words.grams(n)) == [twin.gram_hashes(words, n) for words in documents]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40), st.integers(0, 2**32 - 1))
def test_signatures_are_those_of_the_twin(grams: list[int], seed: int) -> None:
    draws = np.random.default_rng(seed).integers(1 << 32, size=(2, 24), dtype=np.uint32)
    words = Words(np.array(grams, np.uint64), np.array([0, len(grams)]))
    found = signed(words, draws[0].tolist(), draws[1].tolist())
    assert (found[0] == twin.minhash(grams, *draws)).all()


def test_a_signature_by_hand() -> None:
    """3 x + 1 and 2^31 x + 5 mod 2^32 of x = 1, 2 and 2^31: least are 4 and 5."""
    grams = np.array([1 << 32, 2 << 32 | 7, 1 << 63], np.uint64)
    words = Words(grams, np.array([0, 3, 3]))
    assert signed(words, [3, 1 << 31], [1, 5]).tolist() == [[4, 5], [EMPTY, EMPTY]]


@given(st.lists(st.integers(0, 2**32 - 1), min_size=24, max_size=24))
def test_keys_of_bands_are_those_of_the_twin(numbers: list[int]) -> None:
    signature = np.array([numbers], np.uint32)
    keys = np.empty((3, 1), np.uint64)
    band_keys(signature, keys)
    assert keys[:, 0].tolist() == twin.band_keys(signature, 3)


def test_a_word_longer_than_the_scratch_counts_by_its_beginning() -> None:
    longest = "a" * 1000
    one, two, other = parts(hash_words([f"{longest}ab", f"{longest}cd x", longest]))
    assert one == two[:1]
    assert (len(two), len(other)) == (2, 1)
    assert one != other
