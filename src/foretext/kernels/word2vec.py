"""word2vec's walk over a text (Mikolov et al. 2013, "Distributed Representations ...", section 2).

One call of `train_slice` walks a run of sentences and updates both matrices in place. Everything
random in it follows from `seed`, so a slice can be repeated. Skip-gram and CBOW share the walk, and
so do negative sampling and hierarchical softmax: each centre word gives a list of output rows with
a label each (its own row and K noise rows, or the nodes of its Huffman path).

Two deviations from the paper. Skip-gram draws its noise once a window, not once a pair, as the
words of a window share their centre: fewer draws and cache misses, and matrix products instead of
dot products; `shared_noise=False` is the classic order. And, as in the authors' program, it is the
context word whose vector meets the outputs of the centre; over a text that is the same set of
pairs.

V words, D floats a row (`stride`, whole registers), C context words, N outputs of a centre in
groups of six; a short group is filled with a null row under label 1/2, whose gradient is nothing.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.cbow import add_to_rows, cbow_gradients, cbow_update, sum_rows
from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES
from foretext.kernels.skipgram import skipgram_gradients, skipgram_update
from foretext.kernels.softmax import softmax_step
from foretext.kernels.windows import LOSS_EVERY, keep_words, window_of
from foretext.kernels.word2vec_arrays import (
    draw_outputs,
    exchange_hot,
    outputs_at,
    outputs_outside,
    path_outputs,
    prefetch_outputs,
)

__all__ = ["learn_window", "train_slice"]

AHEAD = 6  # positions between asking for rows and learning them: the time memory takes
EXCHANGE_EVERY = 256  # centres between two exchanges of the nodes near the root


@kernel(kept=True)
def train_slice(
    text, weights, targets, method, scratch, first, last, null, rate_start, rate_end, seed
):
    """Train on sentences `first` to `last` - 1, the learning rate falling in a line.

    Returns the sum of the losses counted, the number of predictions they are of, and the number of
    words walked. `scratch` and the null row `null` are this worker's own.
    """
    most_groups = (targets.most + GROUP - 1) // GROUP
    width = most_groups * GROUP if targets.negatives else 0
    groups = most_groups
    token_first = text.sentence_starts[first]
    num_tokens = text.sentence_starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    loss = 0.0
    predictions = 0
    centres = 0
    exchange_hot(weights.outputs, weights.stride, targets, null)
    for sentence in range(first, last):
        start = text.sentence_starts[sentence]
        end = text.sentence_starts[sentence + 1]
        done = (start - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        n = keep_words(text, start, end, method.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(end - start)
        if targets.negatives:
            counter = draw_outputs(scratch, n, targets, method, counter, null, width)
        for i in range(n):
            if not method.softmax:
                prefetch_outputs(i + AHEAD, n, weights, targets, scratch, width)
            count = window_of(scratch.words, n, i, scratch.spans[i], scratch.contexts)
            if count == 0:
                continue
            if not targets.negatives and not method.softmax:
                groups = path_outputs(scratch.rows, scratch.labels, scratch.words[i], targets, null)
            centres += 1
            if centres % EXCHANGE_EVERY == 0:
                exchange_hot(weights.outputs, weights.stride, targets, null)
            window_loss, counted, counter = learn_window(
                weights,
                targets,
                method,
                scratch,
                scratch.words[i],
                count,
                i * width,
                groups,
                rate,
                counter,
                null,
                centres % LOSS_EVERY == 0,
            )
            loss += window_loss
            predictions += counted
    exchange_hot(weights.outputs, weights.stride, targets, null)
    return loss, predictions, num_tokens


@kernel(_nrt=False)
def learn_skipgram(weights, scratch, contexts, count, first, groups, rate):
    """Learn `count` context words against the outputs from number `first` on."""
    inputs, outputs, stride = weights
    skipgram_gradients(
        inputs,
        contexts,
        count,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.labels,
        rate,
        scratch.gradients,
    )
    skipgram_update(
        inputs,
        contexts,
        count,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.gradients,
        scratch.delta,
    )


@kernel(_nrt=False)
def skipgram_loss(contexts, count, groups, gradients, rate):
    """The summed loss of the window just learned."""
    loss = 0.0
    for g in range(groups):
        loss += logistic_loss(gradients, g * contexts.size * GROUP, count * GROUP, rate)
    return loss


@kernel(_nrt=False)
def learn_cbow(weights, scratch, method, count, first, groups, rate):
    """Learn one window as a whole against the outputs from number `first` on."""
    inputs, outputs, stride = weights
    share = np.float32(1.0) / np.float32(count)
    one = np.float32(1.0)
    scale = share if method.mean else one
    sum_rows(inputs, scratch.contexts, count, stride, scale, scratch.hidden)
    cbow_gradients(
        scratch.hidden,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.labels,
        rate,
        scratch.gradients,
    )
    cbow_update(
        scratch.hidden,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.gradients,
        scratch.back,
    )
    divided = method.mean and method.exact_gradient
    add_to_rows(inputs, scratch.contexts, count, stride, share if divided else one, scratch.back)


@kernel(_nrt=False)
def learn_softmax(weights, scratch, method, centre, contexts, count, rate):
    """Learn a run of context words, summed, against the whole vocabulary; the loss."""
    inputs, outputs, stride = weights
    share = np.float32(1.0) / np.float32(count)
    one = np.float32(1.0)
    vocab_size = scratch.logits.size - LANES
    sum_rows(inputs, contexts, count, stride, share if method.mean else one, scratch.hidden)
    loss = softmax_step(
        scratch.hidden, outputs, vocab_size, stride, centre, rate, scratch.logits, scratch.back
    )
    divided = method.mean and method.exact_gradient
    add_to_rows(inputs, contexts, count, stride, share if divided else one, scratch.back)
    return loss


@kernel(_nrt=False)
def learn_window(
    weights, targets, method, scratch, centre, count, first, groups, rate, counter, null, counted
):
    """Learn one window; returns its loss and predictions, if they are counted, and the counter."""
    contexts, single, gradients = scratch.contexts, scratch.single, scratch.gradients
    loss = 0.0
    if method.softmax and method.cbow:
        return learn_softmax(weights, scratch, method, centre, contexts, count, rate), 1, counter
    if method.softmax:
        for a in range(count):
            single[0] = contexts[a]
            loss += learn_softmax(weights, scratch, method, centre, single, 1, rate)
        return loss, count, counter
    if method.cbow:
        learn_cbow(weights, scratch, method, count, first, groups, rate)
        if counted:
            loss = logistic_loss(gradients, 0, groups * GROUP, rate)
        return loss, 1 if counted else 0, counter
    if method.shared_noise or not targets.negatives:
        learn_skipgram(weights, scratch, contexts, count, first, groups, rate)
        if counted:
            loss = skipgram_loss(contexts, count, groups, gradients, rate)
        return loss, count if counted else 0, counter
    for a in range(count):
        single[0] = single[1] = contexts[a]
        if a:
            if method.outside_context:
                counter = outputs_outside(
                    scratch.rows, first, centre, targets, counter, null, contexts, 0, count
                )
            else:
                counter = outputs_at(scratch.rows, first, centre, targets, counter, null)
        learn_skipgram(weights, scratch, single, 1, first, groups, rate)
        if counted:
            loss += skipgram_loss(single, 1, groups, gradients, rate)
    return loss, count if counted else 0, counter
