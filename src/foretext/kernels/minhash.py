"""MinHash signatures of texts (Broder 1997): from words to n-grams to the least hashes.

A text becomes hashes of its words, these become hashes of its n-grams, and number p of a signature
is the least of (a_p x + b_p) mod 2^32 over the n-grams, where x is the upper half of an n-gram's
hash and a_p is odd, so that each p permutes the 32-bit numbers. The share of equal numbers in two
signatures estimates the Jaccard similarity of the two sets of n-grams.

D documents, W words, G n-grams, P permutations, B bands.

Documents that share a band of their signatures with an earlier one that was kept. Those that were
kept of a group form a chain: `heads` has the latest one of each group, and `chains` the one
before it, in place of the group of a document, which is needed no more once the document is in
its chains.

D documents, P permutations, B bands, G groups: documents with equal keys of one band.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.letters import Letters, Scratch, next_word

__all__ = [
    "EMPTY",
    "NO_GROUP",
    "band_keys",
    "gram_hashes",
    "keep_document",
    "minhash",
    "next_candidates",
    "word_hashes",
]

EMPTY = np.uint32(0xFFFFFFFF)  # each number of the signature of a text without words

_BASE = np.uint64(0x9E3779B97F4A7C15)  # of the polynomial of an n-gram: 2^64 / golden ratio, odd
_FINISHER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)

NO_GROUP = -1  # in `chains`: nobody else has the key; in both: the end of a chain
LONGEST_CHAIN = 64  # documents of a group that one is compared with, the latest ones


@kernel(kept=True)
def word_hashes(
    text: np.ndarray,
    text_starts: np.ndarray,
    letters: Letters,
    scratch: Scratch,
    words: np.ndarray,
    word_starts: np.ndarray,
) -> None:
    """Write a hash of each word to `words` (uint64), and where those of each document begin.

    text: uint8, documents with a newline after each, so that no word spans two; text_starts:
    (D + 1,) int64; words: with room for one word in two bytes; word_starts: (D + 1,) int64.
    Of a word that `scratch` cannot hold only the beginning counts.
    """
    count = 0
    for document in range(text_starts.size - 1):
        word_starts[document] = count
        at, end = text_starts[document], text_starts[document + 1]
        while True:
            at, length, _ = next_word(text, at, letters, scratch)
            if length == 0 or at > end:  # no word is left, or it is one of the next document
                break
            words[count] = _word_hash(scratch.units, length)
            count += 1
    word_starts[text_starts.size - 1] = count


@kernel(kept=True)
def gram_hashes(
    words: np.ndarray, word_starts: np.ndarray, n: int, grams: np.ndarray, gram_starts: np.ndarray
) -> None:
    """Write a hash of each n-gram to `grams` (uint64, room for W), and where each document begins.

    It is a polynomial of the hashes of its words, which rolls on by two multiplications. A document
    with fewer than `n` words, but not without any, has one n-gram: all its words.
    """
    top = np.uint64(1)
    for _ in range(n):
        top *= _BASE
    count = 0
    for document in range(word_starts.size - 1):
        gram_starts[document] = count
        start, end = word_starts[document], word_starts[document + 1]
        rolling = np.uint64(0)
        for at in range(start, end):
            rolling = rolling * _BASE + words[at]
            if at - start >= n:
                rolling -= words[at - n] * top
            if at - start >= n - 1 or at == end - 1:
                grams[count] = rolling
                count += 1
    gram_starts[word_starts.size - 1] = count


@kernel(kept=True)
def minhash(
    grams: np.ndarray,
    gram_starts: np.ndarray,
    multipliers: np.ndarray,
    increments: np.ndarray,
    signatures: np.ndarray,
) -> None:
    """Write the signature of each document to `signatures` (D, P) uint32.

    multipliers, increments: (P,) uint32. Eight n-grams are taken at a time, so that a number of the
    signature is loaded once for eight.
    """
    for document in range(gram_starts.size - 1):
        for p in range(multipliers.size):
            signatures[document, p] = EMPTY
        at, end = gram_starts[document], gram_starts[document + 1]
        while at + 8 <= end:
            x0, x1 = _upper(grams[at]), _upper(grams[at + 1])
            x2, x3 = _upper(grams[at + 2]), _upper(grams[at + 3])
            x4, x5 = _upper(grams[at + 4]), _upper(grams[at + 5])
            x6, x7 = _upper(grams[at + 6]), _upper(grams[at + 7])
            for p in range(multipliers.size):
                a, b = multipliers[p], increments[p]
                least = min(signatures[document, p], _permuted(a, x0, b))
                least = min(least, _permuted(a, x1, b))
                least = min(least, _permuted(a, x2, b))
                least = min(least, _permuted(a, x3, b))
                least = min(least, _permuted(a, x4, b))
                least = min(least, _permuted(a, x5, b))
                least = min(least, _permuted(a, x6, b))
                signatures[document, p] = min(least, _permuted(a, x7, b))
            at += 8
        while at < end:
            x = _upper(grams[at])
            for p in range(multipliers.size):
                value = _permuted(multipliers[p], x, increments[p])
                signatures[document, p] = min(signatures[document, p], value)
            at += 1


@kernel(kept=True)
def band_keys(signatures: np.ndarray, keys: np.ndarray) -> None:
    """Write a hash of each band of each signature (D, P) uint32 to `keys` (B, D) uint64.

    A band is P / B numbers that follow each other.
    """
    num_rows = signatures.shape[1] // keys.shape[0]
    for document in range(signatures.shape[0]):
        for band in range(keys.shape[0]):
            key = np.uint64(band)
            for row in range(num_rows):
                key = (key ^ np.uint64(signatures[document, band * num_rows + row])) * _BASE
                key ^= key >> _HALF
            keys[band, document] = key * _FINISHER


@kernel(_nrt=False, forceinline=True)
def _upper(gram: np.uint64) -> np.uint32:
    return np.uint32(gram >> _HALF)


@kernel(_nrt=False, forceinline=True)
def _permuted(multiplier: np.uint32, x: np.uint32, increment: np.uint32) -> np.uint32:
    return np.uint32(multiplier * x + increment)


@kernel(_nrt=False, forceinline=True)
def _word_hash(units: np.ndarray, length: int) -> np.uint64:
    """Multiply and fold, eight bytes at a time."""
    mixed = np.uint64(length) * _FINISHER
    for index in range((length + 7) >> 3):
        mixed = (mixed ^ units[index]) * _BASE
        mixed ^= mixed >> _HALF
    mixed *= _FINISHER
    return mixed ^ (mixed >> _HALF)


@kernel(kept=True)
def next_candidates(
    order: np.ndarray,
    start: int,
    least_equal: int,
    signatures: np.ndarray,
    chains: np.ndarray,
    heads: np.ndarray,
    candidates: np.ndarray,
    equal: np.ndarray,
) -> tuple[int, int]:
    """Keep documents in the given order until one is like others that were kept.

    order: (D,) int64; signatures: (D * P,) uint32; chains: (B, D) int32, the groups of each
    document; heads: (G,) int32; candidates, equal: (B * LONGEST_CHAIN,) int64, which get those with
    at least `least_equal` of the P numbers in common, and how many these are.
    Returns the place in `order` of the document, D where there is none, and the candidates found.
    """
    num_numbers = signatures.size // order.size
    for place in range(start, order.size):
        document = order[place]
        count = 0
        for band in range(chains.shape[0]):
            group = chains[band, document]
            other = NO_GROUP if group == NO_GROUP else heads[group]
            for _ in range(LONGEST_CHAIN):
                if other == NO_GROUP:
                    break
                number = _num_equal(signatures, document, other, num_numbers)
                if number >= least_equal and not _has(candidates, count, other):
                    candidates[count], equal[count] = other, number
                    count += 1
                other = chains[band, other]
        if count:
            return place, count
        keep_document(document, chains, heads)
    return order.size, 0


@kernel(kept=True)
def keep_document(document: int, chains: np.ndarray, heads: np.ndarray) -> None:
    """Put a document at the head of the chains of its groups."""
    for band in range(chains.shape[0]):
        group = chains[band, document]
        if group != NO_GROUP:
            chains[band, document] = heads[group]
            heads[group] = document


@kernel(_nrt=False, forceinline=True)
def _num_equal(signatures: np.ndarray, one: int, other: int, num_numbers: int) -> int:
    count = 0
    for p in range(num_numbers):
        count += signatures[one * num_numbers + p] == signatures[other * num_numbers + p]
    return count


@kernel(_nrt=False, forceinline=True)
def _has(values: np.ndarray, count: int, wanted: int) -> bool:
    for place in range(count):  # noqa: SIM110 - numba compiles no generator
        if values[place] == wanted:
            return True
    return False
