"""doc2vec's walk over documents (Le & Mikolov 2014, "Distributed Representations of Sentences").

The vector of a document is one more row of the input matrix, and one more context word of each of
its windows. So PV-DBOW is skip-gram, and PV-DM is CBOW: the document alone predicts its words
(PV-DBOW), or with the words around them (PV-DM), or both it and these words do so, each by itself
(PV-DBOW with skip-gram training of words). What a window learns is in `word2vec`.

A document of more than MAX_SENTENCE words comes in several pieces with the same row. Everything
random follows from `seed` and from positions in the text, so that a slice can be repeated.

PV-DBOW without words: the vector of a document alone against the outputs of each of its words.
The vector stays in one place from the first word of a document to the last, where the walk of
skip-gram would fetch it and put it back for every word.

PV-DM with concatenation: the document and each word of the window at a place of its own. The
hidden vector is the row of the document, then those of the words to the left and right in their
order; a place beyond the end of the text has row 0, the null word, which is learned like the
others. An output row is as wide as all of these together: (1 + 2 * window) * D floats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.cbow import cbow_gradients, cbow_update
from foretext.kernels.compile import kernel
from foretext.kernels.draws import below, high32, low32, random64
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES, fma, load, prefetch, splat, store
from foretext.kernels.windows import LOSS_EVERY, window_of
from foretext.kernels.word2vec import learn_window
from foretext.kernels.word2vec_arrays import NEAR_ROOT, draw_outputs, exchange_hot, path_outputs

__all__ = [
    "Documents",
    "Reading",
    "gather_rows",
    "is_held_out",
    "kept_words",
    "places_of",
    "prefetch_rows",
    "train_documents",
]

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
            _copy_row(weights.inputs, row * weights.stride, scratch.hidden, 0, weights.stride)
        for i in range(n):
            prefetch_rows(i + AHEAD, n, weights.outputs, wide, targets, scratch, width)
            if not targets.negatives:
                groups = path_outputs(scratch.rows, scratch.labels, scratch.words[i], targets, null)
            centres += 1
            counted = centres % LOSS_EVERY == 0
            if centres % EXCHANGE_EVERY == 0:
                exchange_hot(weights.outputs, wide, targets, null)
            if is_alone:
                loss += _learn_alone(
                    weights.outputs, weights.stride, scratch, i * width, groups, rate, counted
                )
                predictions += counted
                continue
            if reading.concatenated:
                window_loss = _learn_concatenated(
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
            _copy_row(scratch.hidden, 0, weights.inputs, row * weights.stride, weights.stride)
    exchange_hot(weights.outputs, wide, targets, null)
    return loss, predictions, num_tokens


@kernel(_nrt=False)
def _copy_row(source, at, target, to, stride):
    """Copy one row of `stride` floats."""
    for d in range(0, stride, LANES):
        store(target, to + d, load(source, at + d))


@kernel(_nrt=False)
def move_group(outputs, scratch, first, stride, g, last):
    """Move group g of the outputs, and gather what the document moves by; at the last it moves."""
    hidden, back, rows, gradients = scratch.hidden, scratch.back, scratch.rows, scratch.gradients
    first += g * GROUP
    group = g * GROUP
    r0 = rows[first] * stride
    r1 = rows[first + 1] * stride
    r2 = rows[first + 2] * stride
    r3 = rows[first + 3] * stride
    r4 = rows[first + 4] * stride
    r5 = rows[first + 5] * stride
    g0 = splat(gradients[group])
    g1 = splat(gradients[group + 1])
    g2 = splat(gradients[group + 2])
    g3 = splat(gradients[group + 3])
    g4 = splat(gradients[group + 4])
    g5 = splat(gradients[group + 5])
    for d in range(0, stride, LANES):
        h = load(hidden, d)
        c = load(outputs, r0 + d)
        t = fma(g0, c, h if g == 0 else load(back, d))
        store(outputs, r0 + d, fma(g0, h, c))
        c = load(outputs, r1 + d)
        t = fma(g1, c, t)
        store(outputs, r1 + d, fma(g1, h, c))
        c = load(outputs, r2 + d)
        t = fma(g2, c, t)
        store(outputs, r2 + d, fma(g2, h, c))
        c = load(outputs, r3 + d)
        t = fma(g3, c, t)
        store(outputs, r3 + d, fma(g3, h, c))
        c = load(outputs, r4 + d)
        t = fma(g4, c, t)
        store(outputs, r4 + d, fma(g4, h, c))
        c = load(outputs, r5 + d)
        t = fma(g5, c, t)
        store(outputs, r5 + d, fma(g5, h, c))
        if g == last:
            store(hidden, d, t)
        else:
            store(back, d, t)


@kernel(_nrt=False)
def _learn_alone(outputs, stride, scratch, first, groups, rate, counted):
    """Learn ``scratch.hidden`` against the outputs from number `first` on; its loss, if counted."""
    gradients = scratch.gradients
    cbow_gradients(
        scratch.hidden,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.labels,
        rate,
        gradients,
    )
    for g in range(groups):
        move_group(outputs, scratch, first, stride, g, groups - 1)
    return logistic_loss(gradients, 0, groups * GROUP, rate) if counted else 0.0


@kernel(_nrt=False)
def places_of(words, n, i, window, row, contexts):
    """The document's row and those around position i, 0 where there is no word; their number."""
    contexts[0] = row
    count = 1
    for j in range(i - window, i + window + 1):
        if j != i:
            contexts[count] = words[j] if 0 <= j < n else 0
            count += 1
    return count


@kernel(_nrt=False)
def gather_rows(inputs, contexts, count, stride, hidden):
    """hidden = the rows of `contexts`, end to end."""
    for a in range(count):
        for d in range(0, stride, LANES):
            store(hidden, a * stride + d, load(inputs, contexts[a] * stride + d))


@kernel(_nrt=False)
def _learn_concatenated(weights, window, scratch, row, n, i, first, groups, rate, counted):
    """Learn position i against the outputs from number `first` on; its loss, if it is counted."""
    inputs, outputs, stride = weights
    contexts, hidden, gradients = scratch.contexts, scratch.hidden, scratch.gradients
    count = places_of(scratch.words, n, i, window, row, contexts)
    wide = count * stride
    gather_rows(inputs, contexts, count, stride, hidden)
    cbow_gradients(
        hidden, outputs, scratch.rows, first, groups, wide, scratch.labels, rate, gradients
    )
    cbow_update(hidden, outputs, scratch.rows, first, groups, wide, gradients, scratch.back)
    for a in range(count):
        for d in range(0, stride, LANES):
            at = contexts[a] * stride + d
            store(inputs, at, load(inputs, at) + load(scratch.back, a * stride + d))
    return logistic_loss(gradients, 0, groups * GROUP, rate) if counted else 0.0
