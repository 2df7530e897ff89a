"""Vectors of new documents: the walk of doc2vec with words and outputs as they are.

Only the row of the document moves. Each document has a seed of its own, so that a vector does not
depend on the other documents of a call.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.cbow import cbow_gradients, sum_rows
from foretext.kernels.compile import kernel
from foretext.kernels.doc2vec import gather_rows, kept_words, places_of, prefetch_rows
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.windows import window_of
from foretext.kernels.word2vec_arrays import draw_outputs, path_outputs

__all__ = ["infer_documents"]

AHEAD = 6  # positions between asking for rows and reading them: the time memory takes


@kernel(_nrt=False)
def pull_document(outputs, rows, first, groups, wide, gradients, inputs, row, stride):
    """Move the row of the document alone; it meets the first `stride` floats of each output."""
    for d in range(0, stride, LANES):
        t = zeros()
        for k in range(groups * GROUP):
            t = fma(splat(gradients[k]), load(outputs, rows[first + k] * wide + d), t)
        at = row * stride + d
        store(inputs, at, t + load(inputs, at))


@kernel(_nrt=False)
def hidden_vector(weights, method, reading, scratch, row, n, i):
    """Put what predicts position i into ``scratch.hidden``."""
    contexts, stride = scratch.contexts, weights.stride
    if reading.concatenated:
        count = places_of(scratch.words, n, i, method.window, row, contexts)
        gather_rows(weights.inputs, contexts, count, stride, scratch.hidden)
        return
    count = 0
    if reading.words and method.cbow:
        count = window_of(scratch.words, n, i, scratch.spans[i], contexts)
    contexts[count] = row
    scale = np.float32(1.0)
    if method.mean:
        scale /= np.float32(count + 1)
    sum_rows(weights.inputs, contexts, count + 1, stride, scale, scratch.hidden)


@kernel(_nrt=False)
def infer_pieces(
    documents, weights, targets, method, reading, scratch, first, last, null, rate, counter
):
    """Pass once over pieces `first` to `last` - 1, which are one document; the counter after."""
    groups = (targets.most + GROUP - 1) // GROUP
    width = groups * GROUP if targets.negatives else 0
    outputs, stride = weights.outputs, weights.stride
    wide = stride * (2 * method.window + 1 if reading.concatenated else 1)
    rows, gradients = scratch.rows, scratch.gradients
    for piece in range(first, last):
        start, end = documents.starts[piece], documents.starts[piece + 1]
        row = documents.rows[piece]
        n = kept_words(documents, start, end, method.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(end - start)
        if targets.negatives:
            counter = draw_outputs(scratch, n, targets, method, counter, null, width)
        for i in range(n):
            prefetch_rows(i + AHEAD, n, outputs, wide, targets, scratch, width)
            if not targets.negatives:
                groups = path_outputs(rows, scratch.labels, scratch.words[i], targets, null)
            at = i * width
            hidden_vector(weights, method, reading, scratch, row, n, i)
            cbow_gradients(
                scratch.hidden, outputs, rows, at, groups, wide, scratch.labels, rate, gradients
            )
            pull_document(outputs, rows, at, groups, wide, gradients, weights.inputs, row, stride)
    return counter


@kernel(_nrt=False)
def infer_documents(
    documents,
    weights,
    targets,
    method,
    reading,
    scratch,
    pieces,
    first,
    last,
    null,
    epochs,
    rate_start,
    rate_end,
    seeds,
):
    """Learn the rows of documents `first` to `last` - 1 by `epochs` passes over each.

    Document i has the pieces ``pieces[i]`` to ``pieces[i + 1] - 1``, all of one row, and draws by
    ``seeds[i]``, uint32.
    """
    for document in range(first, last):
        counter = np.uint64(seeds[document]) << np.uint64(32)
        for epoch in range(epochs):
            counter = infer_pieces(
                documents,
                weights,
                targets,
                method,
                reading,
                scratch,
                pieces[document],
                pieces[document + 1],
                null,
                np.float32(rate_start + (rate_end - rate_start) * epoch / epochs),
                counter,
            )
