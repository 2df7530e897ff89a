"""The softmax between the two products of attention, and its way back (Vaswani et al. 2017, 3.2.1).

P = softmax(scale S + bias) row by row, and with dP the gradient of P that of S is
scale P (dP - sum(P dP)). Both overwrite what they are given, while it is in the cache.

N: heads of all texts, T: rows (`num_rows`) and S: columns (`num_columns`) of a head's scores, S a
multiple of 16. Scores are float32 or bfloat16 bits (`kernels.bfloat16`), flat; all arithmetic is
float32. A bias that hides a column is a large negative number, not an infinite one: a row that
hides all columns stays a number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential, lane_max, lane_sum, maximum
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["HIDDEN", "Bias", "softmax", "softmax_backward"]

HIDDEN = -1e30  # added to the score of what must not be seen


class Bias(NamedTuple):
    """What is added to scores; a stride of 0 has all texts, or all rows, share it."""

    values: np.ndarray  # float32, flat
    text_stride: int
    row_stride: int
    num_heads: int  # heads of a text, which share its bias
    first_head: int  # the head, of all, that the scores begin with


@kernel(inline="always")
def bias_row(bias, n, t):
    """Return where the bias of row `t` of head `n` begins."""
    return (bias.first_head + n) // bias.num_heads * bias.text_stride + t * bias.row_stride


@kernel()
def softmax_head(scores, bias, scale, normalisers, num_rows, num_columns, n):
    """Do the rows of one head."""
    exponentials = np.empty(num_columns, np.float32)
    for t in range(num_rows):
        row, add = (n * num_rows + t) * num_columns, bias_row(bias, n, t)
        top = splat(np.float32(-math.inf))
        for s in range(0, num_columns, LANES):
            score = fma(load_lanes(scores, row + s), splat(scale), load(bias.values, add + s))
            store(exponentials, s, score)
            top = maximum(score, top)
        largest = lane_max(top)
        total = zeros()
        for s in range(0, num_columns, LANES):
            value = exponential(load(exponentials, s) - splat(largest))
            store(exponentials, s, value)
            total = total + value
        whole = lane_sum(total)
        share = splat(np.float32(1.0) / whole)
        for s in range(0, num_columns, LANES):
            store_lanes(scores, row + s, load(exponentials, s) * share)
        normalisers[n * num_rows + t] = largest + np.float32(math.log(whole))


@kernel()
def softmax(team, scores, bias, scale, normalisers, num_rows, num_columns):
    """Overwrite scores (N * T * S,) by P, and `normalisers` (N * T,) by log sum exp of each row."""
    args = (scores, bias, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, softmax_head, args, normalisers.size // num_rows)


@kernel()
def backward_head(scores, gradients, bias, scale, normalisers, num_rows, num_columns, n):
    """Do the rows of one head."""
    shares = np.empty(num_columns, np.float32)
    for t in range(num_rows):
        row, add = (n * num_rows + t) * num_columns, bias_row(bias, n, t)
        normaliser = splat(normalisers[n * num_rows + t])
        products = zeros()
        for s in range(0, num_columns, LANES):
            score = fma(load_lanes(scores, row + s), splat(scale), load(bias.values, add + s))
            share = exponential(score - normaliser)
            store(shares, s, share)
            store_lanes(scores, row + s, share)
            products = fma(share, load_lanes(gradients, row + s), products)
        mean = splat(lane_sum(products))
        for s in range(0, num_columns, LANES):
            error = load_lanes(gradients, row + s) - mean
            store_lanes(gradients, row + s, load(shares, s) * error * splat(scale))


@kernel()
def softmax_backward(team, scores, gradients, bias, scale, normalisers, num_rows, num_columns):
    """Overwrite scores by P, which `normalisers` are of, and gradients of P by those of scores."""
    args = (scores, gradients, bias, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, backward_head, args, normalisers.size // num_rows)
