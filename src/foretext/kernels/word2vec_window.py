"""One window of word2vec: its context words and the outputs of its centre learn from each other."""

from __future__ import annotations

import numpy as np

from foretext.kernels.cbow import add_to_rows, cbow_gradients, cbow_update, sum_rows
from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES
from foretext.kernels.skipgram import skipgram_gradients, skipgram_update
from foretext.kernels.softmax import softmax_step
from foretext.kernels.word2vec_outputs import outputs_at, outputs_outside

__all__ = ["learn_window"]


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
