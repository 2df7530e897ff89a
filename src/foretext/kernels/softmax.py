"""One step of the full softmax over all words: exact, and as slow as the vocabulary is large."""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES, fma, load, splat, store, transposed_sum, zeros

__all__ = ["softmax_step"]


@kernel(_nrt=False)
def softmax_step(hidden, outputs, num_outputs, stride, target, rate, logits, back):
    """Move `outputs` towards `target`, put hidden's own gradient in `back`, return -log P(target).

    hidden, back: (D,); outputs: (V, D) flat; logits: (V + 16,) scratch. Row 0 stands for unknown
    words, which are never predicted and have no share in the sum.
    """
    largest = -math.inf
    for row in range(1, num_outputs):
        total = zeros()
        for d in range(0, stride, LANES):
            total = fma(load(hidden, d), load(outputs, row * stride + d), total)
        store(logits, row, transposed_sum((total,)))
        largest = max(largest, logits[row])
    normaliser = 0.0
    for row in range(1, num_outputs):
        normaliser += math.exp(logits[row] - largest)
    normaliser = largest + math.log(normaliser)
    loss = normaliser - logits[target]
    back[:stride] = np.float32(0.0)
    for row in range(1, num_outputs):
        error = (1.0 if row == target else 0.0) - math.exp(logits[row] - normaliser)
        step = splat(np.float32(error * rate))
        for d in range(0, stride, LANES):
            output = load(outputs, row * stride + d)
            store(back, d, fma(step, output, load(back, d)))
            store(outputs, row * stride + d, fma(step, load(hidden, d), output))
    return loss
