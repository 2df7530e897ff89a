"""The arrays and settings of word2vec's kernels.

V words, D floats a row (`stride`, whole registers), C context words, N outputs of a centre in
groups of six.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES
from foretext.kernels.windows import MAX_SENTENCE

__all__ = ["Method", "Scratch", "Targets", "Text", "Weights", "scratch_for"]


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
    delta: np.ndarray  # (C * 16,), a strip of the input rows' gradients
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
        delta=np.zeros(slots * LANES, np.float32),
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
