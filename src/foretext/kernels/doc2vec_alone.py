"""PV-DBOW without words: the vector of a document alone against the outputs of each of its words.

The vector stays in one place from the first word of a document to the last, where the walk of
skip-gram would fetch it and put it back for every word.
"""

from __future__ import annotations

from foretext.kernels.cbow import cbow_gradients
from foretext.kernels.compile import kernel
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES, fma, load, splat, store

__all__ = ["copy_row", "learn_alone"]


@kernel(_nrt=False)
def copy_row(source, at, target, to, stride):
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
def learn_alone(outputs, stride, scratch, first, groups, rate, counted):
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
