"""AdamW in one pass over memory (Loshchilov and Hutter 2019, algorithm 2).

Parameters p, means m of gradients and means v of their squares are flat float32. A gradient is
float32 or bfloat16 bits (`kernels.bfloat16`), and so is the copy of p that the model computes with,
which is written in the same pass. Work is cut into portions of a fixed size and sums are added up
portion by portion, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, load_one, store_lanes, store_one
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import lane_sum, root
from foretext.kernels.simd import LANES, fma, splat, zeros
from foretext.kernels.team import share_out

__all__ = ["PORTION", "Factors", "Moments", "adamw", "squares"]

PORTION = 1 << 14  # numbers, a portion of one thread


class Moments(NamedTuple):
    """What is learned, and what Adam remembers of it; flat, all of one length."""

    master: np.ndarray  # float32, p
    mean: np.ndarray  # float32, m
    square: np.ndarray  # float32, v
    copy: np.ndarray  # bfloat16 bits of p; of length 0 where the model computes with p itself


class Factors(NamedTuple):
    """The numbers of one step."""

    scale: float  # of gradients, from clipping
    keep: float  # 1 - learning rate * weight decay
    new_mean: float  # 1 - beta1
    old_square: float  # beta2
    new_square: float  # 1 - beta2
    step: float  # learning rate / (1 - beta1**t)
    root_scale: float  # 1 / sqrt(1 - beta2**t)
    epsilon: float


@kernel(_nrt=False)
def square_portion(gradient, sums, k):
    """Write the sum of squares of portion `k` of a gradient."""
    first, last = k * PORTION, min((k + 1) * PORTION, gradient.size)
    whole = last - (last - first) % LANES
    total = zeros()
    for i in range(first, whole, LANES):
        g = load_lanes(gradient, i)
        total = fma(g, g, total)
    result = np.float64(lane_sum(total))
    for i in range(whole, last):
        result += np.float64(load_one(gradient, i)) ** 2
    sums[k] = result


def squares(team, gradient):
    """Return the sum of squares of a flat gradient, float64."""
    sums = np.empty((gradient.size + PORTION - 1) // PORTION, np.float64)
    return sum_squares(team, gradient, sums)


@kernel(_nrt=False)
def sum_squares(team, gradient, sums):
    """Return the sum of squares, given a place for that of each portion."""
    share_out(team, square_portion, (gradient, sums), sums.size)
    total = 0.0
    for k in range(sums.size):
        total += sums[k]
    return total


@kernel(_nrt=False)
def adamw_portion(gradient, moments, offset, factors, k):
    """Do portion `k` of one parameter, as `adamw` says."""
    first, last = k * PORTION, min((k + 1) * PORTION, gradient.size)
    whole = last - (last - first) % LANES
    scale, keep = np.float32(factors.scale), np.float32(factors.keep)
    new_mean, step = np.float32(factors.new_mean), np.float32(factors.step)
    old_square, new_square = np.float32(factors.old_square), np.float32(factors.new_square)
    root_scale, epsilon = np.float32(factors.root_scale), np.float32(factors.epsilon)
    copies = moments.copy.size > 0
    for i in range(first, whole, LANES):
        at = offset + i
        g = load_lanes(gradient, i) * splat(scale)
        m = load_lanes(moments.mean, at)
        m = fma(g - m, splat(new_mean), m)
        v = fma(g * g, splat(new_square), load_lanes(moments.square, at) * splat(old_square))
        below = fma(root(v), splat(root_scale), splat(epsilon))
        p = load_lanes(moments.master, at) * splat(keep) - splat(step) * (m / below)
        store_lanes(moments.mean, at, m)
        store_lanes(moments.square, at, v)
        store_lanes(moments.master, at, p)
        if copies:
            store_lanes(moments.copy, at, p)
    for i in range(whole, last):
        at = offset + i
        h = load_one(gradient, i) * scale
        moments.mean[at] += (h - moments.mean[at]) * new_mean
        moments.square[at] = h * h * new_square + moments.square[at] * old_square
        under = np.sqrt(moments.square[at]) * root_scale + epsilon
        moments.master[at] = moments.master[at] * keep - step * (moments.mean[at] / under)
        if copies:
            store_one(moments.copy, at, moments.master[at])


@kernel(_nrt=False)
def adamw(team, gradient, moments, offset, factors):
    """Move one parameter, which begins at `offset` of the flat arrays, against its gradient."""
    count = (gradient.size + PORTION - 1) // PORTION
    share_out(team, adamw_portion, (gradient, moments, offset, factors), count)
