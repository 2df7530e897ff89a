"""doc2vec's walk over documents (Le & Mikolov 2014, "Distributed Representations of Sentences").

The vector of a document is one more row of the input matrix, and one more context word of each of
its windows. So PV-DBOW is skip-gram, and PV-DM is CBOW: the document alone predicts its words
(PV-DBOW), or with the words around them (PV-DM), or both it and these words do so, each by itself
(PV-DBOW with skip-gram training of words). What a window learns is in `word2vec_window`.

A document of more than MAX_SENTENCE words comes in several pieces with the same row. Everything
random follows from `seed` and from positions in the text, so that a slice can be repeated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.doc2vec_alone import copy_row, learn_alone
from foretext.kernels.doc2vec_concatenated import learn_concatenated
from foretext.kernels.draws import below, high32, low32, random64
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, prefetch
from foretext.kernels.windows import LOSS_EVERY, window_of
from foretext.kernels.word2vec_outputs import NEAR_ROOT, draw_outputs, exchange_hot, path_outputs
from foretext.kernels.word2vec_window import learn_window

__all__ = ["Documents", "Reading", "is_held_out", "kept_words", "prefetch_rows", "train_documents"]

AHEAD = 6  # positions between asking for rows and learning them: the time memory takes
EXCHANGE_EVERY = 256  # positions between two exchanges of the nodes near the root


class Documents(NamedTuple):
    """What is read, in P pieces."""

    ids: np.ndarray  # (N,) uint16 or uint32
    starts: np.ndarray  # (P + 1,) int64, no piece longer than MAX_SENTENCE
    rows: np.ndarray  # (P,) int64, the input row of each piece's document
    keep: np.ndarray  # (V,) uint32, the chance to survive sub-sampling, in 1 / 2**32
    held_below: int  # tokens that are held out, in 1 / 2**32
    held_key: int  # which ones


class Reading(NamedTuple):
    """Which rows predict a word beside that of its document."""

    words: bool  # those of the words around it
    concatenated: bool  # end to end, each at its place, and not as a mean or sum


@kernel(_nrt=False, inline="always")
def is_held_out(position, documents):
    """Whether a token is left out of the training, for the held-out loss."""
    bits = random64(np.uint64(position) + np.uint64(documents.held_key))
    return np.uint64(low32(bits)) < np.uint64(documents.held_below)


@kernel(_nrt=False)
def kept_words(documents, first, last, window, counter, words, spans):
    """Copy the words to learn of positions `first` to `last` - 1, a window drawn for each."""
    n = 0
    for position in range(first, last):
        word = np.int64(documents.ids[position])
        bits = random64(counter + np.uint64(position - first))
        if low32(bits) < documents.keep[word] and not is_held_out(position, documents):
            words[n] = word
            spans[n] = below(high32(bits), window) + 1
            n += 1
    return n


@kernel(_nrt=False)
def prefetch_rows(i, n, outputs, wide, targets, scratch, width):
    """Bring the outputs nearer that position i will need, rows of `wide` floats."""
    if i >= n:
        return
    if targets.negatives:
        for k in range(i * width, i * width + targets.negatives + 1):
            for d in range(0, wide, LANES):
                prefetch(outputs, scratch.rows[k] * wide + d)
    else:
        word = scratch.words[i]
        for k in range(targets.path_starts[word] + NEAR_ROOT, targets.path_starts[word + 1]):
            for d in range(0, wide, LANES):
                prefetch(outputs, np.int64(targets.path_nodes[k]) * wide + d)


@kernel(_nrt=False)
def train_documents(
    documents,
    weights,
    targets,
    method,
    reading,
    scratch,
    first,
    last,
    null,
    rate_start,
    rate_end,
    seed,
):
    """Train on pieces `first` to `last` - 1, the learning rate falling in a line.

    Returns the sum of the losses counted, the number of predictions they are of, and the number of
    words walked. `scratch` and the null row `null` are this worker's own.
    """
    groups = (targets.most + GROUP - 1) // GROUP
    width = groups * GROUP if targets.negatives else 0
    wide = weights.stride * (2 * method.window + 1 if reading.concatenated else 1)
    token_first = documents.starts[first]
    num_tokens = documents.starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    loss, predictions, centres = 0.0, 0, 0
    exchange_hot(weights.outputs, wide, targets, null)
    for piece in range(first, last):
        start, end = documents.starts[piece], documents.starts[piece + 1]
        done = (start - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        n = kept_words(documents, start, end, method.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(end - start)
        if targets.negatives:
            counter = draw_outputs(scratch, n, targets, method, counter, null, width)
        row = documents.rows[piece]
        is_alone = not reading.words
        if is_alone:
            copy_row(weights.inputs, row * weights.stride, scratch.hidden, 0, weights.stride)
        for i in range(n):
            prefetch_rows(i + AHEAD, n, weights.outputs, wide, targets, scratch, width)
            if not targets.negatives:
                groups = path_outputs(scratch.rows, scratch.labels, scratch.words[i], targets, null)
            centres += 1
            counted = centres % LOSS_EVERY == 0
            if centres % EXCHANGE_EVERY == 0:
                exchange_hot(weights.outputs, wide, targets, null)
            if is_alone:
                loss += learn_alone(
                    weights.outputs, weights.stride, scratch, i * width, groups, rate, counted
                )
                predictions += counted
                continue
            if reading.concatenated:
                window_loss = learn_concatenated(
                    weights, method.window, scratch, row, n, i, i * width, groups, rate, counted
                )
                loss += window_loss
                predictions += counted
                continue
            count = window_of(scratch.words, n, i, scratch.spans[i], scratch.contexts)
            scratch.contexts[count] = scratch.contexts[count + 1] = row
            window_loss, learned, counter = learn_window(
                weights,
                targets,
                method,
                scratch,
                scratch.words[i],
                count + 1,
                i * width,
                groups,
                rate,
                counter,
                null,
                counted,
            )
            loss += window_loss
            predictions += learned
        if is_alone:
            copy_row(scratch.hidden, 0, weights.inputs, row * weights.stride, weights.stride)
    exchange_hot(weights.outputs, wide, targets, null)
    return loss, predictions, num_tokens
