from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from foretext.cleaning.signatures import Words, hash_words, split_text
from foretext.kernels import minhash as kernels
from foretext.kernels.minhash import EMPTY, band_keys, minhash
from tests.kernels import minhash_twin as twin

WORD = st.text("abcAB1éж中あก", min_size=1, max_size=12)
TEXT = st.lists(WORD, max_size=30).map(" ".join) | st.text(max_size=40)

NUM_NUMBERS = 6


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


def search(
    signatures: NDArray[np.uint32], groups: NDArray[np.int32], least: int
) -> list[tuple[int, dict[int, int]]]:
    """Drop every document that has a candidate; returns these, with numbers in common."""
    order = np.arange(len(signatures))
    heads = np.full(groups.max() + 1, kernels.NO_GROUP, np.int32)
    room = np.empty((2, len(groups) * kernels.LONGEST_CHAIN), np.int64)
    chains, found, place = groups.copy(), [], 0
    while True:
        place, count = kernels.next_candidates(
            order, place, least, signatures.ravel(), chains, heads, *room
        )
        if place == len(order):
            return found
        common = zip(room[0, :count].tolist(), room[1, :count].tolist(), strict=True)
        found.append((place, dict(common)))
        place += 1


def plain_search(
    signatures: NDArray[np.uint32], groups: NDArray[np.int32], least: int
) -> list[tuple[int, dict[int, int]]]:
    """The twin: every document with every kept one that shares a group."""
    kept: list[int] = []
    found = []
    for document in range(len(signatures)):
        common = {}
        for other in kept:
            shares = (groups[:, document] == groups[:, other]) & (groups[:, document] >= 0)
            equal = int((signatures[document] == signatures[other]).sum())
            if shares.any() and equal >= least:
                common[other] = equal
        if common:
            found.append((document, common))
        else:
            kept.append(document)
    return found


@pytest.mark.parametrize("least", [1, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_those_of_the_twin(seed: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    signatures = rng.integers(3, size=(50, NUM_NUMBERS), dtype=np.uint32)
    groups = rng.integers(-1, 4, size=(3, 50)).astype(np.int32)
    groups[groups >= 0] += np.repeat(np.int32([[0], [4], [8]]), 50, axis=1)[groups >= 0]
    found = search(signatures, groups, least)
    assert found == plain_search(signatures, groups, least)
    assert found


def test_a_document_is_compared_with_the_latest_of_a_long_chain() -> None:
    size = kernels.LONGEST_CHAIN + 2
    signatures = np.repeat(np.arange(size, dtype=np.uint32), NUM_NUMBERS).reshape(size, -1)
    groups = np.zeros((1, size), np.int32)
    signatures[0] = signatures[-1]  # one too far away
    assert search(signatures, groups, 5) == []
    signatures[1] = signatures[-1] + 100
    signatures[2] = signatures[1]  # is dropped, so that the chain is shorter by one
    assert search(signatures, groups, 5) == [(2, {1: 6}), (size - 1, {0: 6})]
