"""The softmax between the two products of attention, and its backward pass.

P = softmax(scale S + hiding + bias) row by row (Vaswani et al. 2017, 3.2.1). With dP the gradient
of P, that of the softmax's argument is G = P (dP - sum(P dP)), and that of S is scale G. Both
overwrite what they are given, while it is in the cache.

N: heads of all texts, T: rows (`num_rows`) and S: columns (`num_columns`) of a head's scores, S a
multiple of 16. Scores are float32 or bfloat16 bits (`kernels.bfloat16`), flat; all arithmetic is
float32. What hides a column is a large negative number, not an infinite one: a row that hides all
columns stays a number.
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

__all__ = [
    "HIDDEN",
    "Addend",
    "biased_softmax",
    "biased_softmax_backward",
    "softmax",
    "softmax_backward",
]

HIDDEN = -1e30  # added to the score of what must not be seen


class Addend(NamedTuple):
    """What is added to scores; a stride of 0 has all texts, heads or rows share it."""

    values: np.ndarray  # float32, flat
    text_stride: int
    head_stride: int
    row_stride: int
    num_heads: int  # of a text
    first_head: int  # the head, of all, that the scores begin with


@kernel(inline="always")
def addend_row(addend, n, t):
    """Return where the addend of row `t` of head `n` begins."""
    text, head = divmod(addend.first_head + n, addend.num_heads)
    return text * addend.text_stride + head * addend.head_stride + t * addend.row_stride


@kernel(inline="always")
def add_rows(hiding, bias, n, t, sums):
    """Write the sum of both addends of a row to `sums`, (S,)."""
    at, also = addend_row(hiding, n, t), addend_row(bias, n, t)
    for s in range(0, sums.size, LANES):
        store(sums, s, load(hiding.values, at + s) + load(bias.values, also + s))


@kernel(inline="always")
def softmax_row(scores, row, addend, at, scale, exponentials):
    """Overwrite the scores at `row` by their softmax; return their log sum exp."""
    num_columns = exponentials.size
    top = splat(np.float32(-math.inf))
    for s in range(0, num_columns, LANES):
        score = fma(load_lanes(scores, row + s), splat(scale), load(addend, at + s))
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
    return largest + np.float32(math.log(whole))


@kernel()
def softmax_head(scores, hiding, scale, normalisers, num_rows, num_columns, n):
    """Do the rows of one head."""
    exponentials = np.empty(num_columns, np.float32)
    for t in range(num_rows):
        k = n * num_rows + t
        at = addend_row(hiding, n, t)
        normalisers[k] = softmax_row(
            scores, k * num_columns, hiding.values, at, scale, exponentials
        )


@kernel()
def biased_softmax_head(scores, hiding, bias, scale, normalisers, num_rows, num_columns, n):
    """Do the rows of one head."""
    exponentials = np.empty(num_columns, np.float32)
    sums = np.empty(num_columns, np.float32)
    for t in range(num_rows):
        k = n * num_rows + t
        add_rows(hiding, bias, n, t, sums)
        normalisers[k] = softmax_row(scores, k * num_columns, sums, 0, scale, exponentials)


@kernel()
def softmax(team, scores, hiding, scale, normalisers, num_rows, num_columns):
    """Overwrite scores (N * T * S,) by P, and `normalisers` (N * T,) by log sum exp of each row."""
    args = (scores, hiding, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, softmax_head, args, normalisers.size // num_rows)


@kernel()
def biased_softmax(team, scores, hiding, bias, scale, normalisers, num_rows, num_columns):
    """Do the same with a bias."""
    args = (scores, hiding, bias, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, biased_softmax_head, args, normalisers.size // num_rows)


@kernel(inline="always")
def backward_row(scores, gradients, row, addend, at, scale, factor, normaliser, shares):
    """Overwrite the scores at `row` by P, and the gradients of P by `factor` G."""
    num_columns = shares.size
    products = zeros()
    for s in range(0, num_columns, LANES):
        score = fma(load_lanes(scores, row + s), splat(scale), load(addend, at + s))
        share = exponential(score - splat(normaliser))
        store(shares, s, share)
        store_lanes(scores, row + s, share)
        products = fma(share, load_lanes(gradients, row + s), products)
    mean = splat(lane_sum(products))
    for s in range(0, num_columns, LANES):
        error = load_lanes(gradients, row + s) - mean
        store_lanes(gradients, row + s, load(shares, s) * error * splat(factor))


@kernel()
def backward_head(scores, gradients, hiding, scale, normalisers, num_rows, num_columns, n):
    """Do the rows of one head."""
    shares = np.empty(num_columns, np.float32)
    for t in range(num_rows):
        k = n * num_rows + t
        row, at = k * num_columns, addend_row(hiding, n, t)
        backward_row(
            scores, gradients, row, hiding.values, at, scale, scale, normalisers[k], shares
        )


@kernel()
def biased_backward_head(
    scores, gradients, hiding, bias, scale, normalisers, num_rows, num_columns, n
):
    """Do the rows of one head."""
    shares = np.empty(num_columns, np.float32)
    sums = np.empty(num_columns, np.float32)
    one = np.float32(1.0)
    for t in range(num_rows):
        k = n * num_rows + t
        add_rows(hiding, bias, n, t, sums)
        backward_row(
            scores, gradients, k * num_columns, sums, 0, scale, one, normalisers[k], shares
        )


@kernel()
def softmax_backward(team, scores, gradients, hiding, scale, normalisers, num_rows, num_columns):
    """Overwrite scores by P, which `normalisers` are of, and gradients of P by those of scores."""
    args = (scores, gradients, hiding, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, backward_head, args, normalisers.size // num_rows)


@kernel()
def biased_softmax_backward(
    team, scores, gradients, hiding, bias, scale, normalisers, num_rows, num_columns
):
    """Overwrite scores by P, and gradients of P by those of the bias, G."""
    args = (scores, gradients, hiding, bias, np.float32(scale), normalisers, num_rows, num_columns)
    share_out(team, biased_backward_head, args, normalisers.size // num_rows)
