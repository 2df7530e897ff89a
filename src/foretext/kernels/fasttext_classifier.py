"""The descent of fastText's classifier (Joulin et al. 2016, section 2), a document at a time.

The hidden vector is the mean of a document's rows; it is scored against output rows, each with a
target of 1 or 0, and the gradient goes back to every row in equal shares. The four losses differ in
their output rows alone: all labels (softmax, one-vs-all), the label and K others (negative
sampling), the nodes above the label in Huffman's tree (hierarchical softmax).

A row may stand for several units of a document; it is read once for each of them, and it moves by
the share of one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import below, draw_noise, high32, random64
from foretext.kernels.sigmoid import GROUP, sigmoid
from foretext.kernels.simd import (
    LANES,
    aligned_zeros,
    fma,
    load,
    prefetch,
    splat,
    store,
    transposed_sum,
    zeros,
)

__all__ = [
    "HIERARCHICAL",
    "NEGATIVE_SAMPLING",
    "ONE_VS_ALL",
    "SOFTMAX",
    "Documents",
    "Model",
    "Scratch",
    "fill_rows",
    "mean_rows",
    "scratch_for",
    "train_documents",
]

AHEAD = 6  # rows between asking for one and reading it: the time memory takes
LEAST_CHANCE = 1e-7  # in a loss, whose logarithm must stay finite
BLOCK = 16 * GROUP  # output rows moved together: they stay in the nearest cache

HIERARCHICAL, NEGATIVE_SAMPLING, SOFTMAX, ONE_VS_ALL = 1, 2, 3, 4  # as in the authors' files


@kernel(_nrt=False)
def fill_rows(inputs, dim, stride, widths, seed):
    """Draw the rows (R, D) of `inputs` evenly from +-widths (R,); the padding stays as it is."""
    for row in range(widths.size):
        counter = (np.uint64(seed) << np.uint64(40)) + np.uint64(row * stride)
        step = widths[row] * np.float32(2.0**-31)
        for d in range(0, dim, 2):
            bits = random64(counter + np.uint64(d))
            inputs[row * stride + d] = np.float32(np.int32(bits >> np.uint64(32))) * step
            if d + 1 < dim:
                inputs[row * stride + d + 1] = np.float32(np.int32(bits)) * step


@kernel(_nrt=False)
def read_document(documents, document, inputs, stride, hidden):
    """hidden = the mean of the document's rows; those that come next are asked for meanwhile."""
    first, last = documents.starts[document], documents.starts[document + 1]
    for d in range(0, stride, LANES):
        store(hidden, d, zeros())
    for e in range(first, last):
        if e + AHEAD < documents.rows.size:
            ahead = np.int64(documents.rows[e + AHEAD]) * stride
            for d in range(0, stride, LANES):
                prefetch(inputs, ahead + d)
        row = np.int64(documents.rows[e]) * stride
        times = splat(documents.reads[e])
        for d in range(0, stride, LANES):
            store(hidden, d, fma(times, load(inputs, row + d), load(hidden, d)))
    share = splat(np.float32(1.0) / documents.num_units[document])
    for d in range(0, stride, LANES):
        store(hidden, d, load(hidden, d) * share)


@kernel(_nrt=False)
def write_document(documents, document, inputs, stride, moved):
    """Give each unit of the document its share of the gradient."""
    share = np.float32(1.0) / documents.num_units[document]
    for e in range(documents.starts[document], documents.starts[document + 1]):
        row = np.int64(documents.rows[e]) * stride
        step = splat(documents.writes[e] * share)
        for d in range(0, stride, LANES):
            store(inputs, row + d, fma(step, load(moved, d), load(inputs, row + d)))


@kernel(_nrt=False)
def choose_outputs(documents, document, model, scratch, counter, null):
    """List output rows and their targets; returns their number, the label learned, the counter."""
    first, last = documents.label_starts[document], documents.label_starts[document + 1]
    counter += np.uint64(1)
    label = np.int64(documents.labels[first + below(high32(random64(counter)), last - first)])
    count = 0
    if model.loss == NEGATIVE_SAMPLING:
        count = model.negatives + 1
        for k in range(count):
            row = label
            while k > 0 and row == label:
                counter += np.uint64(1)
                row = draw_noise(model.noise, counter)
            scratch.rows[k] = row
            scratch.targets[k] = 1.0 if k == 0 else 0.0
    elif model.loss == HIERARCHICAL:
        begin = model.path_starts[label]
        count = model.path_starts[label + 1] - begin
        for k in range(count):
            scratch.rows[k] = model.path_nodes[begin + k]
            scratch.targets[k] = model.path_codes[begin + k]
    else:
        count = model.num_labels
        for k in range(count):
            scratch.rows[k] = k
            scratch.targets[k] = 0.0
        if model.loss == SOFTMAX:
            scratch.targets[label] = 1.0
        else:
            for at in range(first, last):
                scratch.targets[documents.labels[at]] = 1.0
    for k in range(count, (count + GROUP - 1) // GROUP * GROUP):
        scratch.rows[k] = null
    return count, label, counter


@kernel(_nrt=False)
def score_outputs(outputs, stride, scratch, count):
    """scores[k] = output k times the hidden vector, all of the old values."""
    rows, hidden = scratch.rows, scratch.hidden
    for k in range(0, count, GROUP):
        r0 = rows[k] * stride
        r1 = rows[k + 1] * stride
        r2 = rows[k + 2] * stride
        r3 = rows[k + 3] * stride
        r4 = rows[k + 4] * stride
        r5 = rows[k + 5] * stride
        s0 = s1 = s2 = s3 = s4 = s5 = zeros()
        for d in range(0, stride, LANES):
            h = load(hidden, d)
            s0 = fma(h, load(outputs, r0 + d), s0)
            s1 = fma(h, load(outputs, r1 + d), s1)
            s2 = fma(h, load(outputs, r2 + d), s2)
            s3 = fma(h, load(outputs, r3 + d), s3)
            s4 = fma(h, load(outputs, r4 + d), s4)
            s5 = fma(h, load(outputs, r5 + d), s5)
        store(scratch.scores, k, transposed_sum((s0, s1, s2, s3, s4, s5)))


@kernel(_nrt=False)
def softmax_steps(scores, targets, count, rate, label):
    """Turn scores into rate * (target - chance); returns -log of the label's chance."""
    largest = scores[0]
    for k in range(1, count):
        largest = max(largest, scores[k])
    total = np.float32(0.0)
    for k in range(count):
        scores[k] = math.exp(scores[k] - largest)
        total += scores[k]
    chance = scores[label] / total
    for k in range(count):
        scores[k] = rate * (targets[k] - scores[k] / total)
    return -math.log(LEAST_CHANCE if chance < LEAST_CHANCE else chance)


@kernel(_nrt=False)
def logistic_steps(scores, targets, count, rate):
    """Turn scores into rate * (target - sigmoid); returns the sum of the logistic losses."""
    for k in range(0, count, LANES):
        store(scores, k, load(targets, k) - sigmoid(load(scores, k)))
    loss = 0.0
    for k in range(count):
        chance = 1.0 - abs(scores[k])
        loss -= math.log(LEAST_CHANCE if chance < LEAST_CHANCE else chance)
        scores[k] *= rate
    return loss


@kernel(_nrt=False)
def move_outputs(outputs, stride, scratch, count):
    """Move each output by its step times the hidden vector, and gather what goes back to that."""
    for d in range(0, stride, LANES):
        store(scratch.moved, d, zeros())
    for first in range(0, count, BLOCK):
        last = min(first + BLOCK, count)
        for d in range(0, stride, LANES):
            h = load(scratch.hidden, d)
            total = load(scratch.moved, d)
            for k in range(first, last):
                step = splat(scratch.scores[k])
                row = scratch.rows[k] * stride + d
                output = load(outputs, row)
                total = fma(step, output, total)
                store(outputs, row, fma(step, h, output))
            store(scratch.moved, d, total)


@kernel(_nrt=False)
def train_documents(documents, model, scratch, first, last, null, rate_start, rate_end, seed):
    """Learn documents `first` to `last` - 1, the learning rate falling in a line over their words.

    Returns the sum of the losses, the number of documents learned, and their words. Documents
    without a label teach nothing. `scratch` and the null row `null` are this worker's own.
    """
    token_first = documents.token_starts[first]
    num_tokens = documents.token_starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    stride = model.stride
    loss, learned = 0.0, 0
    for document in range(first, last):
        if documents.label_starts[document] == documents.label_starts[document + 1]:
            continue
        if documents.num_units[document] == 0:
            continue
        done = (documents.token_starts[document] - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        read_document(documents, document, model.inputs, stride, scratch.hidden)
        count, label, counter = choose_outputs(documents, document, model, scratch, counter, null)
        score_outputs(model.outputs, stride, scratch, count)
        if model.loss == SOFTMAX:
            loss += softmax_steps(scratch.scores, scratch.targets, count, rate, label)
        else:
            loss += logistic_steps(scratch.scores, scratch.targets, count, rate)
        move_outputs(model.outputs, stride, scratch, count)
        write_document(documents, document, model.inputs, stride, scratch.moved)
        learned += 1
    return loss, learned, num_tokens


@kernel(_nrt=False)
def mean_rows(rows, starts, inputs, stride, skip_missing, means):
    """means[i] = the mean of the rows of document i, ``rows[starts[i] : starts[i + 1]]``.

    rows: (E,) int32; -1 counts as a row of zeros, or not at all if `skip_missing`. means: (N * D,)
    float32, zeros.
    """
    for document in range(starts.size - 1):
        at = document * stride
        count = 0
        for e in range(starts[document], starts[document + 1]):
            if e + AHEAD < rows.size and rows[e + AHEAD] >= 0:
                for d in range(0, stride, LANES):
                    prefetch(inputs, np.int64(rows[e + AHEAD]) * stride + d)
            row = np.int64(rows[e])
            if row < 0:
                count += 0 if skip_missing else 1
                continue
            count += 1
            for d in range(0, stride, LANES):
                store(means, at + d, load(means, at + d) + load(inputs, row * stride + d))
        share = splat(np.float32(1.0) / np.float32(max(count, 1)))
        for d in range(0, stride, LANES):
            store(means, at + d, load(means, at + d) * share)


class Documents(NamedTuple):
    """What is learned from; document i has its entries from ``starts[i]`` on."""

    starts: np.ndarray  # (N + 1,) int64
    rows: np.ndarray  # (E,) int32
    reads: np.ndarray  # (E,) float32, how many units of the document the row stands for
    writes: np.ndarray  # (E,) float32, how often each of them occurs there
    num_units: np.ndarray  # (N,) float32, the sum of its reads
    label_starts: np.ndarray  # (N + 1,) int64
    labels: np.ndarray  # int32
    token_starts: np.ndarray  # (N + 1,) int64, words before each document; the rate falls over them


class Model(NamedTuple):
    """What is learned, and how."""

    inputs: np.ndarray  # (R * D,) float32
    outputs: np.ndarray  # ((O + workers) * D,) float32, a null row for each worker at the end
    stride: int  # D
    loss: int
    num_labels: int  # L
    negatives: int  # K
    noise: np.ndarray  # (L, 2) uint32, alias table
    path_starts: np.ndarray  # (L + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8, the target of each node


class Scratch(NamedTuple):
    """Room for the intermediate results of one worker."""

    hidden: np.ndarray  # (D,)
    moved: np.ndarray  # (D,), the hidden vector's gradient
    rows: np.ndarray  # (P,) int64, outputs; P is a multiple of GROUP
    targets: np.ndarray  # (P + LANES,) float32
    scores: np.ndarray  # (P + LANES,) float32, then what each output is to be moved by


def scratch_for(model: Model) -> Scratch:
    """Allocate one worker's room; kernels that allocate count references."""
    longest = int(np.diff(model.path_starts).max(initial=0))
    most = max(model.num_labels, model.negatives + 1, longest)
    padded = -(-most // GROUP) * GROUP
    return Scratch(
        hidden=aligned_zeros(1, model.stride),
        moved=aligned_zeros(1, model.stride),
        rows=np.zeros(padded, np.int64),
        targets=np.zeros(padded + LANES, np.float32),
        scores=np.zeros(padded + LANES, np.float32),
    )
