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

from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.windows import LOSS_EVERY, keep_words, window_of
from foretext.kernels.word2vec_outputs import (
    draw_outputs,
    exchange_hot,
    path_outputs,
    prefetch_outputs,
)
from foretext.kernels.word2vec_window import learn_window

__all__ = ["train_slice"]

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
