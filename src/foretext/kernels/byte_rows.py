"""Rows of numbers as bytes with one scale a row, for products of integers (int8).

A row x becomes round(x / s) + 128 with s = max |x| / 127 (symmetric dynamic quantisation, one scale
a token: Yao et al. 2022, "ZeroQuant", section 4.1). The product with int8 weights is a multiple of
s, which `scale_rows` gives back, with the bias, in one pass.

M: rows, K and N: columns, multiples of 16; flat, float32 or bfloat16 bits (`kernels.bfloat16`).
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import lane_max, maximum
from foretext.kernels.simd import LANES, absolute, fma, load, splat, store_bytes, zeros
from foretext.kernels.team import share_out

__all__ = ["LARGEST", "ZERO", "quantize_rows", "scale_rows"]

ROWS = 16  # a portion of one thread
LARGEST, ZERO = 127, 128  # the largest magnitude as an integer, and the byte that stands for 0


@kernel()
def quantize_portion(values, found, scales, num_columns, k):
    """Do the rows of portion `k`."""
    half = splat(np.float32(ZERO + 0.5))  # rounds, as what follows is positive
    for m in range(k * ROWS, min((k + 1) * ROWS, scales.size)):
        row = m * num_columns
        top = zeros()
        for n in range(0, num_columns, LANES):
            top = maximum(absolute(load_lanes(values, row + n)), top)
        largest = lane_max(top)
        scales[m] = largest * np.float32(1.0 / LARGEST)
        factor = np.float32(0.0)
        if largest > np.float32(0.0):
            factor = np.float32(LARGEST) / largest
        for n in range(0, num_columns, LANES):
            lane = fma(load_lanes(values, row + n), splat(factor), half)
            store_bytes(found, row + n, lane)


@kernel()
def quantize_rows(team, values, found, scales, num_columns):
    """Write values (M * K,) as bytes to `found`, and what a unit stands for to `scales` (M,)."""
    args = (values, found, scales, num_columns)
    share_out(team, quantize_portion, args, (scales.size + ROWS - 1) // ROWS)


@kernel()
def scale_portion(values, scales, bias, k):
    """Do the rows of portion `k`."""
    num_columns = bias.size
    for m in range(k * ROWS, min((k + 1) * ROWS, scales.size)):
        scale = splat(scales[m])
        for n in range(0, num_columns, LANES):
            at = m * num_columns + n
            store_lanes(values, at, fma(load_lanes(values, at), scale, load(bias, n)))


@kernel()
def scale_rows(team, values, scales, bias):
    """Overwrite values (M * N,) by values * scales + bias; scales: (M,), bias: (N,) float32."""
    share_out(team, scale_portion, (values, scales, bias), (scales.size + ROWS - 1) // ROWS)
