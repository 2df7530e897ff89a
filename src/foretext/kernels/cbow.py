"""CBOW: the mean (or sum) of a window's context words against every output of its centre."""

from __future__ import annotations

from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, sigmoid
from foretext.kernels.simd import LANES, fma, load, splat, store, transposed_sum, zeros

__all__ = ["add_to_rows", "cbow_gradients", "cbow_update", "sum_rows"]


@kernel(_nrt=False)
def cbow_gradients(hidden, outputs, rows, first, groups, stride, labels, rate, gradients):
    """gradients[g, k] = (label - sigmoid(hidden . output k of group g)) * rate."""
    for g in range(groups):
        r0 = rows[first + g * GROUP] * stride
        r1 = rows[first + g * GROUP + 1] * stride
        r2 = rows[first + g * GROUP + 2] * stride
        r3 = rows[first + g * GROUP + 3] * stride
        r4 = rows[first + g * GROUP + 4] * stride
        r5 = rows[first + g * GROUP + 5] * stride
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
        gradient = (load(labels, g * LANES) - sigmoid(scores)) * splat(rate)
        store(gradients, g * GROUP, gradient)


@kernel(_nrt=False)
def cbow_update(hidden, outputs, rows, first, groups, stride, gradients, back):
    """Move the output rows, and put hidden's own gradient in `back`."""
    for d in range(0, stride, LANES):
        h = load(hidden, d)
        t = zeros()
        for k in range(groups * GROUP):
            f = splat(gradients[k])
            row = rows[first + k] * stride + d
            c = load(outputs, row)
            t = fma(f, c, t)
            store(outputs, row, fma(f, h, c))
        store(back, d, t)


@kernel(_nrt=False)
def sum_rows(inputs, contexts, n, stride, scale, hidden):
    """hidden = scale * the sum of the rows of the first n context words."""
    for d in range(0, stride, LANES):
        h = zeros()
        for a in range(n):
            h = h + load(inputs, contexts[a] * stride + d)
        store(hidden, d, h * splat(scale))


@kernel(_nrt=False)
def add_to_rows(inputs, contexts, n, stride, scale, back):
    """Add scale * back to the row of each of the first n context words."""
    for d in range(0, stride, LANES):
        t = load(back, d) * splat(scale)
        for a in range(n):
            row = contexts[a] * stride + d
            store(inputs, row, load(inputs, row) + t)
