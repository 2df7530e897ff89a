"""GELU of a biased input, x Phi(x), and its way back (Hendrycks and Gimpel 2016).

The normal distribution Phi is right to 1e-7 (Abramowitz and Stegun 1964, formula 7.1.26). It needs
exp(-x**2 / 2), which the density in the derivative, Phi(x) + x phi(x), is made of too.

M: rows, N: columns, a multiple of 16; flat, float32 or bfloat16 bits (`kernels.bfloat16`).
"""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import by_sign, exponential
from foretext.kernels.simd import LANES, absolute, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["ROWS", "bias_gelu", "bias_gelu_backward"]

ROWS = 64  # a portion of one thread

_SLOPE = np.float32(0.3275911 / math.sqrt(2))
_A1, _A2, _A3, _A4, _A5 = (
    np.float32(a / 2)  # half of erf is what Phi needs
    for a in (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
)
_DENSITY = np.float32(1 / math.sqrt(2 * math.pi))


@kernel(inline="always")
def bell(x):
    """Return exp(-x**2 / 2)."""
    return exponential(x * x * splat(np.float32(-0.5)))


@kernel(inline="always")
def normal_below(x, height):
    """Return Phi(x), given exp(-x**2 / 2)."""
    one = splat(np.float32(1.0))
    t = one / fma(absolute(x), splat(_SLOPE), one)
    tail = fma(t, splat(_A5), splat(_A4))
    tail = fma(t, tail, splat(_A3))
    tail = fma(t, tail, splat(_A2))
    tail = fma(t, tail, splat(_A1)) * t * height  # Phi(-|x|)
    return by_sign(x, one - tail, tail)


@kernel(_nrt=False)
def gelu_rows(inputs, bias, outputs, k):
    """Do the rows of portion `k`."""
    N = bias.size
    for m in range(k * ROWS, min((k + 1) * ROWS, inputs.size // N)):
        for n in range(0, N, LANES):
            x = load_lanes(inputs, m * N + n) + load_lanes(bias, n)
            store_lanes(outputs, m * N + n, x * normal_below(x, bell(x)))


@kernel(_nrt=False)
def bias_gelu(team, inputs, bias, outputs):
    """Write gelu(inputs + bias) to outputs; inputs, outputs: (M * N,), bias: (N,)."""
    share_out(team, gelu_rows, (inputs, bias, outputs), portions(inputs, bias))


@kernel(inline="always")
def portions(inputs, bias):
    """Return how many portions the rows are cut into."""
    return (inputs.size // bias.size + ROWS - 1) // ROWS


@kernel(_nrt=False)
def backward_rows(inputs, bias, gradients, results, sums, k):
    """Do the rows of portion `k`."""
    N = bias.size
    for n in range(0, N, LANES):
        store(sums, k * N + n, zeros())
    for m in range(k * ROWS, min((k + 1) * ROWS, inputs.size // N)):
        for n in range(0, N, LANES):
            x = load_lanes(inputs, m * N + n) + load_lanes(bias, n)
            height = bell(x)
            slope = fma(x * height, splat(_DENSITY), normal_below(x, height))
            result = load_lanes(gradients, m * N + n) * slope
            store_lanes(results, m * N + n, result)
            store(sums, k * N + n, load(sums, k * N + n) + result)


def bias_gelu_backward(team, inputs, bias, gradients, results):
    """Write the inputs' gradients to results; returns the bias's, summed portion by portion.

    inputs, gradients (of outputs), results: (M * N,); bias: (N,). Returns (N,) float32.
    """
    count = (inputs.size // bias.size + ROWS - 1) // ROWS
    sums, totals = np.empty(count * bias.size, np.float32), np.zeros(bias.size, np.float32)
    backward(team, inputs, bias, gradients, results, sums, totals)
    return totals


@kernel(_nrt=False)
def backward(team, inputs, bias, gradients, results, sums, totals):
    """Do `bias_gelu_backward`, given places for the sums of the portions and for their totals."""
    N, count = bias.size, portions(inputs, bias)
    share_out(team, backward_rows, (inputs, bias, gradients, results, sums), count)
    for k in range(count):
        for n in range(0, N, LANES):
            store(totals, n, load(totals, n) + load(sums, k * N + n))
