"""The outputs of a centre word: rows of the output matrix, with a label each.

They are the word and K noise words, or the nodes of its Huffman path, in groups of six; a short
group is filled with a null row under label 1/2, whose gradient is nothing.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import draw_noise
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, load, prefetch, store

__all__ = [
    "draw_outputs",
    "exchange_hot",
    "outputs_at",
    "outputs_outside",
    "path_outputs",
    "prefetch_outputs",
]

NEAR_ROOT = 4  # nodes of a path that are always near, as every word's path has them
TRIES = 64  # draws of a noise word, before one of the context is taken: all words may be there


@kernel(_nrt=False)
def set_label(labels, k, label):
    """Write the label of output k where both contexts of a block read it."""
    at = (k // GROUP) * LANES + k % GROUP
    labels[at] = label
    labels[at + GROUP] = label


@kernel(_nrt=False)
def path_outputs(rows, labels, centre, targets, null):
    """The inner nodes of the centre's path, each labelled 1 - code; returns their groups."""
    first = targets.path_starts[centre]
    length = targets.path_starts[centre + 1] - first
    groups = (length + GROUP - 1) // GROUP
    for k in range(groups * GROUP):
        if k < length:
            node = targets.path_nodes[first + k]
            rows[k] = node if node < targets.hot_first else null + 1 + node - targets.hot_first
            set_label(labels, k, np.float32(1.0) - np.float32(targets.path_codes[first + k]))
        else:
            rows[k] = null
            set_label(labels, k, np.float32(0.5))
    return groups


@kernel(_nrt=False)
def outputs_at(rows, first, centre, targets, counter, null):
    """The centre and K noise words other than it, from `first` on; the counter after the draws."""
    rows[first] = centre
    for k in range(first + 1, first + targets.negatives + 1):
        drawn = centre
        while drawn == centre:
            counter += np.uint64(1)
            drawn = draw_noise(targets.noise, counter)
        rows[k] = drawn
    while (k + 1) % GROUP:
        k += 1
        rows[k] = null
    return counter


@kernel(_nrt=False)
def is_among(word, words, start, stop):
    """Whether `word` is one of `words` from `start` to before `stop`."""
    found = False
    for j in range(start, stop):
        found |= words[j] == word
    return found


@kernel(_nrt=False)
def outputs_outside(rows, first, centre, targets, counter, null, words, start, stop):
    """What `outputs_at` does, with noise words that are none of `words[start:stop]` either."""
    rows[first] = centre
    for k in range(first + 1, first + targets.negatives + 1):
        drawn = centre
        tries = 0
        while drawn == centre or (tries < TRIES and is_among(drawn, words, start, stop)):
            tries += 1
            counter += np.uint64(1)
            drawn = draw_noise(targets.noise, counter)
        rows[k] = drawn
    while (k + 1) % GROUP:
        k += 1
        rows[k] = null
    return counter


@kernel(_nrt=False)
def draw_outputs(scratch, n, targets, method, counter, null, width):
    """Draw the outputs of each position of a sentence; the counter after the draws."""
    rows, words = scratch.rows, scratch.words
    if method.outside_context:
        for i in range(n):
            start, stop = max(0, i - scratch.spans[i]), min(n, i + scratch.spans[i] + 1)
            counter = outputs_outside(
                rows, i * width, words[i], targets, counter, null, words, start, stop
            )
    else:
        for i in range(n):
            counter = outputs_at(rows, i * width, words[i], targets, counter, null)
    return counter


@kernel(_nrt=False)
def prefetch_outputs(i, n, weights, targets, scratch, width):
    """Bring the rows that position i will need nearer: its own and those of its outputs."""
    if i >= n:
        return
    word = scratch.words[i]
    for d in range(0, weights.stride, LANES):
        prefetch(weights.inputs, word * weights.stride + d)
    if targets.negatives:
        for k in range(i * width, (i + 1) * width):
            for d in range(0, weights.stride, LANES):
                prefetch(weights.outputs, scratch.rows[k] * weights.stride + d)
    else:
        for k in range(targets.path_starts[word] + NEAR_ROOT, targets.path_starts[word + 1]):
            for d in range(0, weights.stride, LANES):
                prefetch(weights.outputs, np.int64(targets.path_nodes[k]) * weights.stride + d)


@kernel(_nrt=False)
def exchange_hot(outputs, stride, targets, null):
    """Give what this worker learned of the hot nodes to all, and take what the others learned.

    Every path goes through them; were they shared, their cache lines would be on the way between
    the cores all the time. A worker's copies follow its null row, and after them the values at the
    last exchange.
    """
    size = targets.num_hot * stride
    shared = targets.hot_first * stride
    own = (null + 1) * stride
    for d in range(0, size, LANES):
        change = load(outputs, own + d) - load(outputs, own + size + d)
        value = load(outputs, shared + d) + change
        store(outputs, shared + d, value)
        store(outputs, own + d, value)
        store(outputs, own + size + d, value)
