"""Skip-gram: every context word of a window against every output of its centre.

Small matrix products in registers. `contexts` holds C row numbers and one more as padding (contexts
are taken two at a time); `rows` holds output rows in groups of six.
"""

from __future__ import annotations

from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, sigmoid
from foretext.kernels.simd import LANES, fma, load, splat, store, transposed_sum, zeros

__all__ = ["skipgram_gradients", "skipgram_update"]


@kernel(_nrt=False)
def skipgram_gradients(
    inputs, contexts, n, outputs, rows, first, groups, stride, labels, rate, gradients
):
    """gradients[g, a, k] = (label - sigmoid(input a . output k of group g)) * rate."""
    slots = contexts.size
    for g in range(groups):
        r0 = rows[first + g * GROUP] * stride
        r1 = rows[first + g * GROUP + 1] * stride
        r2 = rows[first + g * GROUP + 2] * stride
        r3 = rows[first + g * GROUP + 3] * stride
        r4 = rows[first + g * GROUP + 4] * stride
        r5 = rows[first + g * GROUP + 5] * stride
        label = load(labels, g * LANES)
        for a in range(0, n, 2):
            left = contexts[a] * stride
            right = contexts[a + 1] * stride
            s0 = s1 = s2 = s3 = s4 = s5 = zeros()
            t0 = t1 = t2 = t3 = t4 = t5 = zeros()
            for d in range(0, stride, LANES):
                w = load(inputs, left + d)
                x = load(inputs, right + d)
                c = load(outputs, r0 + d)
                s0 = fma(w, c, s0)
                t0 = fma(x, c, t0)
                c = load(outputs, r1 + d)
                s1 = fma(w, c, s1)
                t1 = fma(x, c, t1)
                c = load(outputs, r2 + d)
                s2 = fma(w, c, s2)
                t2 = fma(x, c, t2)
                c = load(outputs, r3 + d)
                s3 = fma(w, c, s3)
                t3 = fma(x, c, t3)
                c = load(outputs, r4 + d)
                s4 = fma(w, c, s4)
                t4 = fma(x, c, t4)
                c = load(outputs, r5 + d)
                s5 = fma(w, c, s5)
                t5 = fma(x, c, t5)
            scores = transposed_sum((s0, s1, s2, s3, s4, s5, t0, t1, t2, t3, t4, t5))
            gradient = (label - sigmoid(scores)) * splat(rate)
            store(gradients, (g * slots + a) * GROUP, gradient)


@kernel(_nrt=False)
def skipgram_update(inputs, contexts, n, outputs, rows, first, groups, stride, gradients, delta):
    """Add both gradients, each computed from the old values of the other side."""
    slots = contexts.size
    last = groups - 1
    for d in range(0, stride, LANES):
        for g in range(groups):
            r0 = rows[first + g * GROUP] * stride + d
            r1 = rows[first + g * GROUP + 1] * stride + d
            r2 = rows[first + g * GROUP + 2] * stride + d
            r3 = rows[first + g * GROUP + 3] * stride + d
            r4 = rows[first + g * GROUP + 4] * stride + d
            r5 = rows[first + g * GROUP + 5] * stride + d
            c0 = load(outputs, r0)
            c1 = load(outputs, r1)
            c2 = load(outputs, r2)
            c3 = load(outputs, r3)
            c4 = load(outputs, r4)
            c5 = load(outputs, r5)
            u0 = u1 = u2 = u3 = u4 = u5 = zeros()
            for a in range(n):
                row = contexts[a] * stride + d
                e = (g * slots + a) * GROUP
                w = load(inputs, row)
                t = zeros() if g == 0 else load(delta, a * LANES)
                f = splat(gradients[e])
                t = fma(f, c0, t)
                u0 = fma(f, w, u0)
                f = splat(gradients[e + 1])
                t = fma(f, c1, t)
                u1 = fma(f, w, u1)
                f = splat(gradients[e + 2])
                t = fma(f, c2, t)
                u2 = fma(f, w, u2)
                f = splat(gradients[e + 3])
                t = fma(f, c3, t)
                u3 = fma(f, w, u3)
                f = splat(gradients[e + 4])
                t = fma(f, c4, t)
                u4 = fma(f, w, u4)
                f = splat(gradients[e + 5])
                t = fma(f, c5, t)
                u5 = fma(f, w, u5)
                if g == last:
                    store(inputs, row, w + t)
                else:
                    store(delta, a * LANES, t)
            store(outputs, r0, c0 + u0)
            store(outputs, r1, c1 + u1)
            store(outputs, r2, c2 + u2)
            store(outputs, r3, c3 + u3)
            store(outputs, r4, c4 + u4)
            store(outputs, r5, c5 + u5)
