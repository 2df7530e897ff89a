"""fastText's walk over a text (Bojanowski et al. 2017, section 3): words as means of sub-word rows.

As in the authors' program the input is the mean of a word's rows, and its whole gradient goes to
each of them; with skip-gram it is the centre's rows that meet the words around it. By how much the
hidden vector moves with its rows is known, so it need not be summed again for every pair: a
window's rows are read once and written once, where the authors do both for each pair, and the
numbers are the same.

One deviation. CBOW keeps the sums of the words around the centre, and what their rows are still to
be given, while the window passes over them: a word is read and written once a sentence, and sees
what its neighbours' shared rows have learned only after that.

The arrays that kernels of fastText read and write. V words, R rows of sub-words, D floats a row
(`stride`, whole registers). Each predicted word has a block of outputs, in groups of six; a short
group is filled with a null row under label 1/2, whose gradient is nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import draw_noise
from foretext.kernels.sigmoid import GROUP, logistic_loss, sigmoid
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
from foretext.kernels.windows import LOSS_EVERY, MAX_SENTENCE, keep_words, window_of

__all__ = ["Model", "Scratch", "Subwords", "Text", "scratch_for", "train_slice", "word_sums"]


@kernel(_nrt=False)
def walk_skipgram(model, scratch, n, counter, null, rate):
    """Learn a sentence, each word's rows against the words around it; loss, predictions, counter.

    The loss is that of one centre in sixteen.
    """
    words, contexts, stride = scratch.words, scratch.contexts, model.stride
    loss, predictions = 0.0, 0
    count = next_count = half = 0
    for i in range(-1, n):
        # While position i is learned, the rows of position i + 1 are on their way.
        half = 1 - half
        count, next_count = next_count, 0
        if i + 1 < n:
            next_count = window_of(words, n, i + 1, scratch.spans[i + 1], contexts)
            counter = _choose_outputs(
                model, scratch, 1 - half, contexts, 0, next_count, counter, null
            )
            _prefetch_word(model.inputs, model.subwords, words[i + 1], stride)
        if count == 0:
            continue
        word = words[i]
        share = np.float32(1.0) / model.subwords.num_units[word]
        gain = model.subwords.pulls[word] * share
        counted = (counter + np.uint64(i)) % np.uint64(LOSS_EVERY) == 0
        _read_word(model.inputs, model.subwords, word, stride, share, scratch.hidden, 0)
        loss += _learn_window(model, scratch, half, count, rate, gain, counted)
        _write_word(model.inputs, model.subwords, word, stride, scratch.moved, 0)
        predictions += count if counted else 0
    return loss, predictions, counter


@kernel(_nrt=False)
def enter(model, scratch, j):
    """The word at position j comes within reach: sum its rows."""
    stride = model.stride
    at = (j % (2 * model.window + 1)) * stride
    one = np.float32(1.0)
    _read_word(model.inputs, model.subwords, scratch.words[j], stride, one, scratch.sums, at)
    for d in range(at, at + stride, LANES):
        store(scratch.owed, d, zeros())


@kernel(_nrt=False)
def leave(model, scratch, j):
    """The word at position j goes out of reach: its rows get what they are owed."""
    at = (j % (2 * model.window + 1)) * model.stride
    word = scratch.words[j]
    _write_word(model.inputs, model.subwords, word, model.stride, scratch.owed, at)


@kernel(_nrt=False)
def context_mean(model, scratch, i, first, last):
    """Hidden vector of the words from `first` to `last` - 1 but i: the mean over all their rows."""
    units = np.float32(0.0)
    for j in range(first, last):
        if j != i:
            units += model.subwords.num_units[scratch.words[j]]
    share = splat(np.float32(1.0) / units)
    for d in range(0, model.stride, LANES):
        total = zeros()
        for j in range(first, last):
            if j != i:
                slot = j % (2 * model.window + 1)
                total = total + load(scratch.sums, slot * model.stride + d)
        store(scratch.hidden, d, total * share)


@kernel(_nrt=False)
def owe(model, scratch, i, first, last):
    """Note for the words around i by how much each of their rows is to move."""
    for j in range(first, last):
        if j != i:
            at = (j % (2 * model.window + 1)) * model.stride
            pulls = splat(model.subwords.pulls[scratch.words[j]])
            for d in range(0, model.stride, LANES):
                moved = load(scratch.moved, d)
                store(scratch.sums, at + d, fma(pulls, moved, load(scratch.sums, at + d)))
                store(scratch.owed, at + d, load(scratch.owed, at + d) + moved)


@kernel(_nrt=False)
def walk_cbow(model, scratch, n, counter, null, rate):
    """Learn a sentence, the rows around each word against that word; loss, predictions, counter."""
    words, spans, window = scratch.words, scratch.spans, model.window
    loss, predictions = 0.0, 0
    if n < 2:
        return loss, predictions, counter
    for j in range(min(window, n)):
        enter(model, scratch, j)
    half = 0
    for i in range(-1, n):
        half = 1 - half
        if i + 1 < n:
            counter = _choose_outputs(model, scratch, 1 - half, words, i + 1, 1, counter, null)
        if i < 0:
            continue
        if i > window:
            leave(model, scratch, i - window - 1)
        if i + window < n:
            enter(model, scratch, i + window)
        if i + window + 1 < n:
            _prefetch_word(model.inputs, model.subwords, words[i + window + 1], model.stride)
        first = max(0, i - spans[i])
        last = min(n, i + spans[i] + 1)
        counted = (counter + np.uint64(i)) % np.uint64(LOSS_EVERY) == 0
        context_mean(model, scratch, i, first, last)
        loss += _learn_window(model, scratch, half, 1, rate, np.float32(1.0), counted)
        owe(model, scratch, i, first, last)
        predictions += 1 if counted else 0
    for j in range(max(0, n - 1 - window), n):
        leave(model, scratch, j)
    return loss, predictions, counter


@kernel(kept=True)
def train_slice(text, model, scratch, first, last, null, rate_start, rate_end, seed):
    """Train on sentences `first` to `last` - 1, the learning rate falling in a line.

    Returns the sum of the losses counted, the number of predictions they are of, and the words
    walked. `scratch` and the null row `null` are this worker's own.
    """
    token_first = text.sentence_starts[first]
    num_tokens = text.sentence_starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    loss, predictions = 0.0, 0
    for number in range(first, last):
        length = text.sentence_starts[number + 1] - text.sentence_starts[number]
        done = (text.sentence_starts[number] - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        start = text.places[number]
        end = start + length
        n = keep_words(text, start, end, model.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(length)
        if model.cbow:
            learned = walk_cbow(model, scratch, n, counter, null, rate)
        else:
            learned = walk_skipgram(model, scratch, n, counter, null, rate)
        loss += learned[0]
        predictions += learned[1]
        counter = learned[2]
    return loss, predictions, num_tokens


class Text(NamedTuple):
    """What is read, in any order of its sentences."""

    ids: np.ndarray  # (N,) uint16 or uint32
    places: np.ndarray  # (S,) int64, where each sentence begins in ids
    sentence_starts: np.ndarray  # (S + 1,) int64, the words learned before each sentence
    keep: np.ndarray  # (V,) uint32, the chance to survive sub-sampling, in 1 / 2**32


class Subwords(NamedTuple):
    """The rows of each word."""

    starts: np.ndarray  # (V + 1,) int64
    rows: np.ndarray  # (E,) int32
    weights: np.ndarray  # (E,) float32, how often a row is in the sum
    num_units: np.ndarray  # (V,) float32, the sum of a word's weights
    pulls: np.ndarray  # (V,) float32, by how much that sum moves when 1 is given to each entry


class Model(NamedTuple):
    """What is learned, and how."""

    inputs: np.ndarray  # (R * D,) float32
    outputs: np.ndarray  # ((V + workers) * D,) float32, a null row for each worker at the end
    stride: int  # D
    subwords: Subwords
    negatives: int  # K; 0 for the Huffman tree
    noise: np.ndarray  # (V, 2) uint32, alias table
    path_starts: np.ndarray  # (V + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8
    groups: int  # groups of six in a block, at most
    window: int
    cbow: bool  # else skip-gram


class Scratch(NamedTuple):
    """Room for the intermediate results of one worker.

    Blocks have room for two windows: while one is learned, the rows of the next are on their way.
    """

    words: np.ndarray  # (MAX_SENTENCE,) int64, what sub-sampling left of a sentence
    spans: np.ndarray  # (MAX_SENTENCE,) int64, their windows
    contexts: np.ndarray  # (2 * window + 2,) int64
    rows: np.ndarray  # (2 * G * 6,) int64, outputs, G groups in the blocks of a window
    labels: np.ndarray  # (2 * G * 16,) float32
    ends: np.ndarray  # (2 * blocks,) int64, the group at which each block ends
    gradients: np.ndarray  # (2 * G * 6 + 16,) float32, of the scores
    hidden: np.ndarray  # (D,)
    moved: np.ndarray  # (D,), the hidden vector's gradient, added up
    sums: np.ndarray  # (S * D,), CBOW: the sum of each word within reach, S = 2 * window + 1
    owed: np.ndarray  # (S * D,), CBOW: what their rows are still to be given


def scratch_for(model: Model) -> Scratch:
    """Allocate one worker's room; kernels that allocate count references."""
    blocks = 1 if model.cbow else 2 * model.window
    num_groups = 2 * blocks * model.groups
    reach = 2 * model.window + 1
    return Scratch(
        words=np.empty(MAX_SENTENCE, np.int64),
        spans=np.empty(MAX_SENTENCE, np.int64),
        contexts=np.zeros(2 * model.window + 2, np.int64),
        rows=np.zeros(num_groups * GROUP, np.int64),
        labels=np.zeros(num_groups * LANES, np.float32),
        ends=np.zeros(2 * blocks, np.int64),
        gradients=np.zeros(num_groups * GROUP + LANES, np.float32),
        hidden=aligned_zeros(1, model.stride),
        moved=aligned_zeros(1, model.stride),
        sums=aligned_zeros(reach, model.stride),
        owed=aligned_zeros(reach, model.stride),
    )


@kernel(_nrt=False)
def noise_block(model, scratch, group, word, counter, null):
    """A word under label 1 and K others under 0; returns the group behind them, and the counter."""
    last = group + model.groups
    for k in range(last * GROUP - group * GROUP):
        row, label = null, np.float32(0.5)
        if k == 0:
            row, label = word, np.float32(1.0)
        elif k <= model.negatives:
            row, label = word, np.float32(0.0)
            while row == word:
                counter += np.uint64(1)
                row = draw_noise(model.noise, counter)
        scratch.rows[group * GROUP + k] = row
        scratch.labels[(group + k // GROUP) * LANES + k % GROUP] = label
    return last, counter


@kernel(_nrt=False)
def path_block(model, scratch, group, word, null):
    """The inner nodes above a word, each under 1 - code; returns the group behind them."""
    first = model.path_starts[word]
    length = model.path_starts[word + 1] - first
    last = group + (length + GROUP - 1) // GROUP
    for k in range((last - group) * GROUP):
        row, label = null, np.float32(0.5)
        if k < length:
            row = np.int64(model.path_nodes[first + k])
            label = np.float32(1.0) - np.float32(model.path_codes[first + k])
        scratch.rows[group * GROUP + k] = row
        scratch.labels[(group + k // GROUP) * LANES + k % GROUP] = label
    return last


@kernel(_nrt=False)
def _choose_outputs(model, scratch, half, predicted, first, count, counter, null):
    """Fill a block for each of predicted[first : first + count]; returns the counter.

    half: which half of the scratch takes them, 0 or 1. Their rows are brought nearer.
    """
    group = half * (scratch.rows.size // GROUP // 2)
    block = half * (scratch.ends.size // 2)
    begin = group * GROUP
    for a in range(first, first + count):
        if model.negatives:
            group, counter = noise_block(model, scratch, group, predicted[a], counter, null)
        else:
            group = path_block(model, scratch, group, predicted[a], null)
        scratch.ends[block] = group
        block += 1
    for k in range(begin, group * GROUP):
        for d in range(0, model.stride, LANES):
            prefetch(model.outputs, scratch.rows[k] * model.stride + d)
    return counter


@kernel(_nrt=False)
def learn_block(scratch, outputs, first, last, stride, rate, gain):
    """Move the output rows of groups `first` to `last` - 1, and the hidden vector.

    All scores of a block are of the old values. The hidden vector moves `gain` times its gradient.
    """
    rows, hidden, moved, gradients = scratch.rows, scratch.hidden, scratch.moved, scratch.gradients
    for g in range(first, last):
        r0 = rows[g * GROUP] * stride
        r1 = rows[g * GROUP + 1] * stride
        r2 = rows[g * GROUP + 2] * stride
        r3 = rows[g * GROUP + 3] * stride
        r4 = rows[g * GROUP + 4] * stride
        r5 = rows[g * GROUP + 5] * stride
        s0 = s1 = s2 = s3 = s4 = s5 = zeros()
        for d in range(0, stride, LANES):
            h = load(hidden, d)
            s0 = fma(h, load(outputs, r0 + d), s0)
            s1 = fma(h, load(outputs, r1 + d), s1)
            s2 = fma(h, load(outputs, r2 + d), s2)
            s3 = fma(h, load(outputs, r3 + d), s3)
            s4 = fma(h, load(outputs, r4 + d), s4)
            s5 = fma(h, load(outputs, r5 + d), s5)
        scores = transposed_sum((s0, s1, s2, s3, s4, s5))
        gradient = (load(scratch.labels, g * LANES) - sigmoid(scores)) * splat(rate)
        store(gradients, g * GROUP, gradient)
    for d in range(0, stride, LANES):
        h = load(hidden, d)
        t = zeros()
        for k in range(first * GROUP, last * GROUP):
            f = splat(gradients[k])
            row = rows[k] * stride + d
            c = load(outputs, row)
            t = fma(f, c, t)
            store(outputs, row, fma(f, h, c))
        store(hidden, d, fma(splat(gain), t, h))
        store(moved, d, load(moved, d) + t)


@kernel(_nrt=False)
def _learn_window(model, scratch, half, count, rate, gain, counted):
    """Learn the blocks of one half one after another from `scratch.hidden`; the loss if counted."""
    for d in range(0, model.stride, LANES):
        store(scratch.moved, d, zeros())
    begin = half * (scratch.rows.size // GROUP // 2)
    block = half * (scratch.ends.size // 2)
    group = begin
    for a in range(block, block + count):
        learn_block(scratch, model.outputs, group, scratch.ends[a], model.stride, rate, gain)
        group = scratch.ends[a]
    if counted:
        return logistic_loss(scratch.gradients, begin * GROUP, (group - begin) * GROUP, rate)
    return 0.0


@kernel(_nrt=False)
def _read_word(inputs, subwords, word, stride, scale, out, at):
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
def _write_word(inputs, subwords, word, stride, step, at):
    """Add step[at : at + D] to each of the word's rows."""
    first = subwords.starts[word]
    last = subwords.starts[word + 1]
    for d in range(0, stride, LANES):
        moved = load(step, at + d)
        for e in range(first, last):
            row = np.int64(subwords.rows[e]) * stride + d
            store(inputs, row, load(inputs, row) + moved)


@kernel(_nrt=False, inline="always")
def _prefetch_word(inputs, subwords, word, stride):
    """Bring the rows of a word nearer while others are worked on."""
    for e in range(subwords.starts[word], subwords.starts[word + 1]):
        row = np.int64(subwords.rows[e]) * stride
        for d in range(0, stride, LANES):
            prefetch(inputs, row + d)


@kernel(kept=True)
def word_sums(inputs, subwords, stride, sums):
    """Write the sum of every word's rows into sums, (V * D,)."""
    for word in range(subwords.num_units.size):
        _read_word(inputs, subwords, word, stride, np.float32(1.0), sums, word * stride)
