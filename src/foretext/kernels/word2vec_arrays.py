"""The arrays and settings of word2vec's kernels.

V words, D floats a row (`stride`, whole registers), C context words, N outputs of a centre in
groups of six.

The outputs of a centre word: rows of the output matrix, with a label each. They are the word and
K noise words, or the nodes of its Huffman path, in groups of six; a short group is filled with a
null row under label 1/2, whose gradient is nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import draw_noise
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, load, prefetch, store
from foretext.kernels.windows import MAX_SENTENCE

__all__ = [
    "Method",
    "Scratch",
    "Targets",
    "Text",
    "Weights",
    "draw_outputs",
    "exchange_hot",
    "outputs_at",
    "outputs_outside",
    "path_outputs",
    "prefetch_outputs",
    "scratch_for",
]

NEAR_ROOT = 4  # nodes of a path that are always near, as every word's path has them
TRIES = 64  # draws of a noise word, before one of the context is taken: all words may be there


class Text(NamedTuple):
    """What is read."""

    ids: np.ndarray  # (N,) uint16 or uint32
    sentence_starts: np.ndarray  # (S + 1,) int64, no sentence longer than MAX_SENTENCE
    keep: np.ndarray  # (V,) uint32, the chance to survive sub-sampling, in 1 / 2**32


class Weights(NamedTuple):
    """What is learned, flat, each row padded with zeros to whole registers."""

    inputs: np.ndarray  # (V * D,) float32
    outputs: np.ndarray  # ((V + workers * (1 + 2 * hot)) * D,) float32; at the end the workers' own
    stride: int  # D


class Targets(NamedTuple):
    """Where a centre's outputs come from: noise words, or nodes of a Huffman tree."""

    negatives: int  # K; 0 for the tree or the full softmax
    noise: np.ndarray  # (V, 2) uint32, alias table
    path_starts: np.ndarray  # (V + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8
    most: int  # outputs that a centre can have
    hot_first: int  # tree: nodes from this one on are near the root, ...
    num_hot: int  # ... and so many that each worker has copies of its own, after its null row


class Method(NamedTuple):
    """How a window is learned."""

    window: int
    cbow: bool  # else skip-gram
    mean: bool  # CBOW: the mean of the context words, else their sum
    exact_gradient: bool  # CBOW with the mean: a context word gets its share of the gradient
    softmax: bool  # full softmax over all words
    shared_noise: bool  # skip-gram: one set of noise words for a window, else one for a pair
    outside_context: bool = False  # noise words are none of the window's context words


class Scratch(NamedTuple):
    """Room for one sentence and for one window's intermediate results."""

    words: np.ndarray  # (MAX_SENTENCE,) int64, what sub-sampling left of a sentence
    spans: np.ndarray  # (MAX_SENTENCE,) int64, the window drawn for each
    rows: np.ndarray  # (MAX_SENTENCE * N,) int64, the outputs of each
    labels: np.ndarray  # (groups * 16,) float32, of one centre's outputs
    contexts: np.ndarray  # (C + 2,) int64
    single: np.ndarray  # (2,) int64, one context word alone
    gradients: np.ndarray  # (groups * C * 6 + 16,), of the scores
    delta: np.ndarray  # (C * D,), the input rows' gradients of some groups
    hidden: np.ndarray  # (D,), CBOW
    back: np.ndarray  # (D,), hidden's gradient
    logits: np.ndarray  # (V + 16,), full softmax


def scratch_for(weights: Weights, targets: Targets, method: Method) -> Scratch:
    """Allocate the room that one worker needs.

    It is done here and not in the kernel, as a function that allocates counts references to every
    array it touches, which is most of the cost of a short one.
    """
    slots = 2 * method.window + 2
    groups = (targets.most + GROUP - 1) // GROUP
    labels = np.zeros(groups * LANES, np.float32)
    _label_noise(labels.reshape(groups, LANES), targets.negatives)
    logits = targets.path_starts.size - 1 + LANES if method.softmax else 0
    return Scratch(
        words=np.empty(MAX_SENTENCE, np.int64),
        spans=np.empty(MAX_SENTENCE, np.int64),
        rows=np.empty(MAX_SENTENCE * groups * GROUP, np.int64),
        labels=labels,
        contexts=np.zeros(slots, np.int64),
        single=np.zeros(2, np.int64),
        gradients=np.zeros(groups * slots * GROUP + LANES, np.float32),
        delta=np.zeros(slots * weights.stride, np.float32),
        hidden=np.zeros(weights.stride, np.float32),
        back=np.zeros(weights.stride, np.float32),
        logits=np.zeros(logits, np.float32),
    )


def _label_noise(labels: np.ndarray, negatives: int) -> None:
    """Label 1 for the centre, 0 for each noise word, 1/2 for what fills the last group.

    labels: (groups, LANES); each stands where both contexts of a block read it.
    """
    number = np.arange(len(labels) * GROUP).reshape(-1, GROUP)
    label = np.where(number > negatives, np.float32(0.5), np.float32(0.0))
    label[0, 0] = 1.0
    labels[:, :GROUP] = labels[:, GROUP : 2 * GROUP] = label


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
