"""A GELU that gates another input, and its way back (Shazeer 2020, "GLU Variants", GEGLU).

The GELU is the approximate one, x s(2 u) with the logistic function s and
u = √(2 / π) (x + 0.044715 x³) (Hendrycks and Gimpel 2016, section 2); T5 since its release 1.1 and
GPT-2 have it.

M: rows of 2 N inputs, of which the first N are activated and the others gated; N is a multiple of
16. Flat, float32 or bfloat16 bits (`kernels.bfloat16`).
"""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential
from foretext.kernels.simd import LANES, fma, splat
from foretext.kernels.team import share_out

__all__ = ["ROWS", "gated_gelu", "gated_gelu_backward"]

ROWS = 64  # a portion of one thread

_TWICE = np.float32(-2 * math.sqrt(2 / math.pi))  # of -2 u
_CUBIC = np.float32(0.044715)
_SLOPE, _CUBIC_SLOPE = (
    np.float32(2 * math.sqrt(2 / math.pi)),
    np.float32(2 * math.sqrt(2 / math.pi) * 3 * 0.044715),
)


@kernel(inline="always")
def logistic_below(x):
    """Return s(2 u)."""
    one = splat(np.float32(1.0))
    u = x * fma(x * x, splat(_CUBIC), one) * splat(_TWICE)
    return one / (one + exponential(u))


@kernel(inline="always")
def portions(outputs, num_columns):
    """Return how many portions the rows are cut into."""
    return (outputs.size // num_columns + ROWS - 1) // ROWS


@kernel()
def gated_rows(inputs, outputs, num_columns, k):
    """Do the rows of portion `k`."""
    N = num_columns
    for m in range(k * ROWS, min((k + 1) * ROWS, outputs.size // N)):
        for n in range(0, N, LANES):
            x, gate = load_lanes(inputs, 2 * m * N + n), load_lanes(inputs, (2 * m + 1) * N + n)
            store_lanes(outputs, m * N + n, x * logistic_below(x) * gate)


@kernel()
def gated_gelu(team, inputs, outputs, num_columns):
    """Write the gated inputs, (M * 2 N,), to outputs, (M * N,); `num_columns` is N."""
    share_out(team, gated_rows, (inputs, outputs, num_columns), portions(outputs, num_columns))


@kernel()
def backward_rows(inputs, gradients, results, num_columns, k):
    """Do the rows of portion `k`."""
    N = num_columns
    one = splat(np.float32(1.0))
    for m in range(k * ROWS, min((k + 1) * ROWS, gradients.size // N)):
        for n in range(0, N, LANES):
            at, beside = 2 * m * N + n, (2 * m + 1) * N + n
            x, gate = load_lanes(inputs, at), load_lanes(inputs, beside)
            gradient = load_lanes(gradients, m * N + n)
            below = logistic_below(x)
            inner = fma(x * x, splat(_CUBIC_SLOPE), splat(_SLOPE))  # of 2 u
            slope = below * fma(x * (one - below), inner, one)
            store_lanes(results, at, gradient * gate * slope)
            store_lanes(results, beside, gradient * x * below)


@kernel()
def gated_gelu_backward(team, inputs, gradients, results, num_columns):
    """Write the gradients of inputs, (M * 2 N,), to results, given those of outputs, (M * N,)."""
    args = (inputs, gradients, results, num_columns)
    share_out(team, backward_rows, args, portions(gradients, num_columns))
