"""The logistic function of sixteen lanes at once, and the loss read back from its gradient."""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.simd import clamp, fma, splat

__all__ = ["GROUP", "logistic_loss", "sigmoid"]

GROUP = 6  # outputs scored together: their accumulators and two contexts' fill the registers


@kernel(_nrt=False, inline="always")
def sigmoid(x):
    """Logistic function of each lane: Lambert's fraction of tanh(x / 2), |error| < 1e-4."""
    z = clamp(x, splat(np.float32(9.94))) * splat(np.float32(0.5))
    q = z * z
    top = fma(q, q + splat(np.float32(378.0)), splat(np.float32(17325.0)))
    top = z * fma(q, top, splat(np.float32(135135.0)))
    bottom = fma(q, splat(np.float32(28.0)), splat(np.float32(3150.0)))
    bottom = fma(q, fma(q, bottom, splat(np.float32(62370.0))), splat(np.float32(135135.0)))
    half = splat(np.float32(0.5))
    return fma(half, top / bottom, half)


@kernel(_nrt=False)
def logistic_loss(gradients, start, count, rate):
    """The sum of -log(1 - |label - sigmoid|) over gradients that were scaled by `rate`."""
    loss = 0.0
    for k in range(start, start + count):
        chance = 1.0 - abs(gradients[k]) / rate
        loss -= math.log(1e-7 if chance < 1e-7 else chance)  # what is no number stays none
    return loss
