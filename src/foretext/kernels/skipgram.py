"""Skip-gram: every context word of a window against every output of its centre.

Small matrix products in registers. `contexts` holds C row numbers and one more as padding (contexts
are taken two at a time); `rows` holds output rows in groups of six.
"""

from __future__ import annotations

from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, sigmoid
from foretext.kernels.simd import (
    LANES,
    element,
    fma,
    load,
    narrow_load,
    narrow_splat,
    narrow_width,
    narrow_zeros,
    splat,
    store,
    transposed_sum,
    zeros,
)

__all__ = ["skipgram_gradients", "skipgram_update"]


@kernel(_nrt=False)
def skipgram_gradients(
    inputs, contexts, n, outputs, rows, first, groups, stride, labels, rate, gradients
):
    """gradients[g, a, k] = (label - sigmoid(input a . output k of group g)) * rate."""
    slots = contexts.size
    width = narrow_width()
    for g in range(groups):
        at = first + g * GROUP
        r0 = element(rows, at) * stride
        r1 = element(rows, at + 1) * stride
        r2 = element(rows, at + 2) * stride
        r3 = element(rows, at + 3) * stride
        r4 = element(rows, at + 4) * stride
        r5 = element(rows, at + 5) * stride
        label = load(labels, g * LANES)
        for a in range(0, n, 2):
            left = element(contexts, a) * stride
            right = element(contexts, a + 1) * stride
            scores = zeros()
            for part in range(0, LANES, width):
                s0 = s1 = s2 = s3 = s4 = s5 = narrow_zeros()
                t0 = t1 = t2 = t3 = t4 = t5 = narrow_zeros()
                for d in range(part, stride, LANES):
                    w = narrow_load(inputs, left + d)
                    x = narrow_load(inputs, right + d)
                    c = narrow_load(outputs, r0 + d)
                    s0 = fma(w, c, s0)
                    t0 = fma(x, c, t0)
                    c = narrow_load(outputs, r1 + d)
                    s1 = fma(w, c, s1)
                    t1 = fma(x, c, t1)
                    c = narrow_load(outputs, r2 + d)
                    s2 = fma(w, c, s2)
                    t2 = fma(x, c, t2)
                    c = narrow_load(outputs, r3 + d)
                    s3 = fma(w, c, s3)
                    t3 = fma(x, c, t3)
                    c = narrow_load(outputs, r4 + d)
                    s4 = fma(w, c, s4)
                    t4 = fma(x, c, t4)
                    c = narrow_load(outputs, r5 + d)
                    s5 = fma(w, c, s5)
                    t5 = fma(x, c, t5)
                sums = transposed_sum((s0, s1, s2, s3, s4, s5, t0, t1, t2, t3, t4, t5))
                scores = scores + sums
            gradient = (label - sigmoid(scores)) * splat(rate)
            store(gradients, (g * slots + a) * GROUP, gradient)


@kernel(_nrt=False)
def skipgram_update(inputs, contexts, n, outputs, rows, first, groups, stride, gradients, delta):
    """Add both gradients, each computed from the old values of the other side."""
    slots = contexts.size
    last = groups - 1
    for g in range(groups):
        at = first + g * GROUP
        r0 = element(rows, at) * stride
        r1 = element(rows, at + 1) * stride
        r2 = element(rows, at + 2) * stride
        r3 = element(rows, at + 3) * stride
        r4 = element(rows, at + 4) * stride
        r5 = element(rows, at + 5) * stride
        for d in range(0, stride, narrow_width()):
            c0 = narrow_load(outputs, r0 + d)
            c1 = narrow_load(outputs, r1 + d)
            c2 = narrow_load(outputs, r2 + d)
            c3 = narrow_load(outputs, r3 + d)
            c4 = narrow_load(outputs, r4 + d)
            c5 = narrow_load(outputs, r5 + d)
            u0 = u1 = u2 = u3 = u4 = u5 = narrow_zeros()
            for a in range(n):
                row = element(contexts, a) * stride + d
                e = (g * slots + a) * GROUP
                w = narrow_load(inputs, row)
                t = narrow_zeros() if g == 0 else narrow_load(delta, a * stride + d)
                f = narrow_splat(element(gradients, e))
                t = fma(f, c0, t)
                u0 = fma(f, w, u0)
                f = narrow_splat(element(gradients, e + 1))
                t = fma(f, c1, t)
                u1 = fma(f, w, u1)
                f = narrow_splat(element(gradients, e + 2))
                t = fma(f, c2, t)
                u2 = fma(f, w, u2)
                f = narrow_splat(element(gradients, e + 3))
                t = fma(f, c3, t)
                u3 = fma(f, w, u3)
                f = narrow_splat(element(gradients, e + 4))
                t = fma(f, c4, t)
                u4 = fma(f, w, u4)
                f = narrow_splat(element(gradients, e + 5))
                t = fma(f, c5, t)
                u5 = fma(f, w, u5)
                if g == last:
                    store(inputs, row, w + t)
                else:
                    store(delta, a * stride + d, t)
            store(outputs, r0 + d, c0 + u0)
            store(outputs, r1 + d, c1 + u1)
            store(outputs, r2 + d, c2 + u2)
            store(outputs, r3 + d, c3 + u3)
            store(outputs, r4 + d, c4 + u4)
            store(outputs, r5 + d, c5 + u5)
