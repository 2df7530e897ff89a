"""The best tokens of each row of logits, and the log of the sum of their exponentials, in one pass.

R: rows, V: logits of a row, K: tokens that are wanted. Logits are float32; of equal ones, that of
the lower id comes first.
"""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential, lane_max, lane_sum, maximum
from foretext.kernels.simd import LANES, load, splat, zeros
from foretext.kernels.team import share_out

__all__ = ["best_tokens"]

STRETCH = 64  # logits that are skipped together where none of them is among the best


@kernel(inline="always")
def insert(values, ids, first, num, value, index):
    """Put a value behind those that are not smaller; the last one falls out."""
    place = first + num - 1
    while place > first and values[place - 1] < value:
        values[place], ids[place] = values[place - 1], ids[place - 1]
        place -= 1
    values[place], ids[place] = value, index


@kernel(inline="always")
def log_sum(logits, start, end, largest):
    """Return log Σ exp of the logits from start to end."""
    total, whole = zeros(), end - (end - start) % LANES
    for i in range(start, whole, LANES):
        total = total + exponential(load(logits, i) - splat(largest))
    rest = np.float32(0.0)
    for i in range(whole, end):
        rest += np.float32(math.exp(logits[i] - largest))
    return largest + np.float32(math.log(lane_sum(total) + rest))


@kernel()
def best_of_row(logits, num_logits, num_best, values, ids, log_sums, r):
    """Do row r."""
    start, end, first = r * num_logits, (r + 1) * num_logits, r * num_best
    for place in range(first, first + num_best):
        values[place], ids[place] = np.float32(-math.inf), 0
    whole = end - num_logits % STRETCH
    for i in range(start, whole, STRETCH):
        top = load(logits, i)
        for j in range(i + LANES, i + STRETCH, LANES):
            top = maximum(top, load(logits, j))
        if lane_max(top) > values[first + num_best - 1]:
            for j in range(i, i + STRETCH):
                if logits[j] > values[first + num_best - 1]:
                    insert(values, ids, first, num_best, logits[j], j - start)
    for j in range(whole, end):
        if logits[j] > values[first + num_best - 1]:
            insert(values, ids, first, num_best, logits[j], j - start)
    log_sums[r] = log_sum(logits, start, end, values[first])


@kernel()
def best_tokens(team, logits, num_logits, num_best, values, ids, log_sums):
    """Write the best tokens, the best one first, and the log-sums.

    logits: (R, V); values, ids: (R, K); log_sums: (R,). All are flat; V is `num_logits`.
    """
    args = (logits, num_logits, num_best, values, ids, log_sums)
    share_out(team, best_of_row, args, log_sums.size)
