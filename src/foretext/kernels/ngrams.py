"""Character n-grams of words as hash buckets (Bojanowski et al. 2017, section 3.2).

An n-gram is n Unicode characters of ``<word>``, hashed over its UTF-8 bytes by 32-bit FNV-1a as the
authors' program does it: each byte counts as signed, so that one above 127 turns the upper 24 bits
as well. Buckets are only comparable with theirs if this slip is kept.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import random64

__all__ = ["hash_bytes", "ngram_spans", "ngram_sums", "word_signatures"]


@kernel()
def hash_bytes(text, start, end):
    """FNV-1a over ``text[start:end]`` (uint8), bytes as signed numbers."""
    value = np.uint32(2166136261)
    for at in range(start, end):
        value = next_hash(value, text[at])
    return value


@kernel(inline="always")
def next_hash(value, byte):
    """The hash of what gave `value` with one more byte behind it."""
    return np.uint32((value ^ np.uint32(np.int8(byte))) * np.uint32(16777619))


@kernel(inline="always")
def character_end(text, at, last):
    """Where the UTF-8 character that begins at `at` ends."""
    at += 1
    while at < last and (text[at] & 0xC0) == 0x80:
        at += 1
    return at


def ngram_spans(
    text: np.ndarray,
    word_starts: np.ndarray,
    minn: int,
    maxn: int,
    bucket: int,
    *,
    with_spans: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (starts, buckets, spans): the n-grams of each word, in the order of the original.

    text: uint8, words one after another, each between ``<`` and ``>``; word_starts: (V + 1,).
    starts: (V + 1,) int64, indices into buckets (E,) int32 and spans (E, 2) int64, which are places
    in the text; without them spans (0, 2). A single ``<`` or ``>`` is no n-gram.
    """
    starts = np.zeros(word_starts.size, np.int64)
    buckets, spans = np.empty(0, np.int32), np.empty((0, 2), np.int64)
    write_ngrams(text, word_starts, minn, maxn, bucket, starts, buckets, spans)  # counts them
    buckets = np.empty(starts[-1], np.int32)
    spans = np.empty((starts[-1] if with_spans else 0, 2), np.int64)
    write_ngrams(text, word_starts, minn, maxn, bucket, starts, buckets, spans)
    return starts, buckets, spans


@kernel(kept=True)
def write_ngrams(text, word_starts, minn, maxn, bucket, starts, buckets, spans):
    """Write the n-grams of each word, buckets and spans only where there is room for them."""
    count = 0
    for word in range(word_starts.size - 1):
        first = word_starts[word]
        last = word_starts[word + 1]
        at = first
        while at < last:
            end = at
            value = np.uint32(2166136261)
            for n in range(1, maxn + 1):
                if end == last:
                    break
                begin = end
                end = character_end(text, end, last)
                for byte in range(begin, end):
                    value = next_hash(value, text[byte])
                if n < minn or (n == 1 and (at == first or end == last)):
                    continue
                if buckets.size:
                    buckets[count] = value % np.uint32(bucket)
                if spans.size:
                    spans[count, 0] = at
                    spans[count, 1] = end
                count += 1
            at = character_end(text, at, last)
        starts[word + 1] = count


def word_signatures(starts: np.ndarray, units: np.ndarray, num_units: int) -> np.ndarray:
    """Return (num_units,) uint64: equal for two units if the same words have them, equally often.

    units: (E,), those of word w are ``units[starts[w] : starts[w + 1]]``. A signature is the sum of
    one random number for each occurrence; two that should differ agree once in 2**64.
    """
    signatures = np.zeros(num_units, np.uint64)
    add_signatures(starts, units, signatures)
    return signatures


@kernel(kept=True)
def add_signatures(starts, units, signatures):
    """Add each word's number to the signatures of its units."""
    for word in range(starts.size - 1):
        number = random64(np.uint64(word + 1))
        for at in range(starts[word], starts[word + 1]):
            signatures[units[at]] += number


@kernel()
def ngram_sums(starts, rows, vectors, sums):
    """Add to each row of sums (V, D) the vectors (R, D) of its n-grams; a row of -1 is nothing."""
    for word in range(starts.size - 1):
        for at in range(starts[word], starts[word + 1]):
            if rows[at] >= 0:
                for d in range(sums.shape[1]):
                    sums[word, d] += vectors[rows[at], d]
