"""One window of fastText: a hidden vector and the blocks of outputs of what it predicts learn."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import draw_noise
from foretext.kernels.sigmoid import GROUP, logistic_loss, sigmoid
from foretext.kernels.simd import (
    LANES,
    fma,
    load,
    prefetch,
    splat,
    store,
    transposed_sum,
    zeros,
)

__all__ = ["choose_outputs", "learn_window"]


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
def choose_outputs(model, scratch, half, predicted, first, count, counter, null):
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
def learn_window(model, scratch, half, count, rate, gain, counted):
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
