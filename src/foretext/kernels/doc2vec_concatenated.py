"""PV-DM with concatenation: the document and each word of the window at a place of its own.

The hidden vector is the row of the document, then those of the words to the left and right in their
order; a place beyond the end of the text has row 0, the null word, which is learned like the
others. An output row is as wide as all of these together: (1 + 2 * window) * D floats.
"""

from __future__ import annotations

from foretext.kernels.cbow import cbow_gradients, cbow_update
from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES, load, store

__all__ = ["gather_rows", "learn_concatenated", "places_of"]


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
def learn_concatenated(weights, window, scratch, row, n, i, first, groups, rate, counted):
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
