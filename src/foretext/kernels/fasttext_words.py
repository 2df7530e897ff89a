"""A word of fastText: the mean of its rows is read, and its gradient goes to each of them."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES, fma, load, prefetch, splat, store, zeros

__all__ = ["prefetch_word", "read_word", "word_sums", "write_word"]


@kernel(_nrt=False)
def read_word(inputs, subwords, word, stride, scale, out, at):
    """out[at : at + D] = scale * the weighted sum of the word's rows."""
    first = subwords.starts[word]
    last = subwords.starts[word + 1]
    for d in range(0, stride, LANES):
        total = zeros()
        for e in range(first, last):
            row = np.int64(subwords.rows[e]) * stride + d
            total = fma(splat(subwords.weights[e]), load(inputs, row), total)
        store(out, at + d, total * splat(scale))


@kernel(_nrt=False)
def write_word(inputs, subwords, word, stride, step, at):
    """Add step[at : at + D] to each of the word's rows."""
    first = subwords.starts[word]
    last = subwords.starts[word + 1]
    for d in range(0, stride, LANES):
        moved = load(step, at + d)
        for e in range(first, last):
            row = np.int64(subwords.rows[e]) * stride + d
            store(inputs, row, load(inputs, row) + moved)


@kernel(_nrt=False, inline="always")
def prefetch_word(inputs, subwords, word, stride):
    """Bring the rows of a word nearer while others are worked on."""
    for e in range(subwords.starts[word], subwords.starts[word + 1]):
        row = np.int64(subwords.rows[e]) * stride
        for d in range(0, stride, LANES):
            prefetch(inputs, row + d)


@kernel(kept=True)
def word_sums(inputs, subwords, stride, sums):
    """Write the sum of every word's rows into sums, (V * D,)."""
    for word in range(subwords.num_units.size):
        read_word(inputs, subwords, word, stride, np.float32(1.0), sums, word * stride)
