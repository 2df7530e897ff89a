"""Attention of one new position of many rows, to keys that stand where they were first written.

In a beam search the rows of a step continue other rows than stood in their places before. Instead
of moving the keys of all positions each time, a table says in which row each of them stands.

R: rows, H: heads, d: width of a head, a multiple of 16, S: positions that are looked at, W = H d.
Keys and values are float32 or bfloat16 bits (`kernels.bfloat16`), flat; all arithmetic is float32.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import lane_sum
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["Sizes", "step_attention"]

ROWS = 8  # a portion of one thread


class Sizes(NamedTuple):
    """The sizes of all arrays, and how far apart their parts are."""

    num_rows: int  # R
    num_heads: int  # H
    head_dim: int  # d
    num_positions: int  # S
    room: int  # positions that a row of keys and values has room for
    origin_row: int  # from a row of the table to the next
    origin_position: int  # from a position to the next; 0: all are in one row
    bias_rows: int  # rows that share a row of the bias
    bias_row: int  # from a row of the bias to the next; 0: there is one
    bias_head: int  # from a head to the next; 0: all heads have the same


@kernel(inline="always")
def place_of(origins, sizes, r, s):
    """Return where the key of position s of row r begins."""
    row = origins[r * sizes.origin_row + s * sizes.origin_position]
    return (row * sizes.room + s) * sizes.num_heads * sizes.head_dim


@kernel(inline="always")
def weigh_keys(queries, keys, origins, bias, scale, sizes, r, weights):
    """Write the scaled scores of row r, (H, S)."""
    H, d, S = sizes.num_heads, sizes.head_dim, sizes.num_positions
    of_row = r // sizes.bias_rows * sizes.bias_row
    for s in range(S):
        key = place_of(origins, sizes, r, s)
        for h in range(H):
            total = zeros()
            for i in range(h * d, h * d + d, LANES):
                query = load_lanes(queries, r * H * d + i)
                total = fma(query, load_lanes(keys, key + i), total)
            score = lane_sum(total) * scale
            weights[h * S + s] = score + bias[of_row + h * sizes.bias_head + s]


@kernel(inline="always")
def normalise(weights, num_heads, num_positions):
    """Replace scores by their softmax over the positions."""
    for h in range(num_heads):
        first, last = h * num_positions, (h + 1) * num_positions
        largest = weights[first]
        for k in range(first, last):
            largest = max(largest, weights[k])
        total = np.float32(0.0)
        for k in range(first, last):
            weights[k] = math.exp(weights[k] - largest)
            total += weights[k]
        share = np.float32(1.0) / total
        for k in range(first, last):
            weights[k] *= share


@kernel(inline="always")
def mix_values(values, origins, sizes, r, weights, mixed, outputs):
    """Write the weighted means of the values of row r, (W,)."""
    H, d, S = sizes.num_heads, sizes.head_dim, sizes.num_positions
    mixed[:] = np.float32(0.0)
    for s in range(S):
        value = place_of(origins, sizes, r, s)
        for h in range(H):
            weight = splat(weights[h * S + s])
            for i in range(h * d, h * d + d, LANES):
                store(mixed, i, fma(weight, load_lanes(values, value + i), load(mixed, i)))
    for i in range(0, H * d, LANES):
        store_lanes(outputs, r * H * d + i, load(mixed, i))


@kernel()
def attend_rows(queries, keys, values, origins, bias, scale, sizes, outputs, k):
    """Do the rows of portion k."""
    weights = np.empty(sizes.num_heads * sizes.num_positions, np.float32)
    mixed = np.empty(sizes.num_heads * sizes.head_dim, np.float32)
    for r in range(k * ROWS, min((k + 1) * ROWS, sizes.num_rows)):
        weigh_keys(queries, keys, origins, bias, scale, sizes, r, weights)
        normalise(weights, sizes.num_heads, sizes.num_positions)
        mix_values(values, origins, sizes, r, weights, mixed, outputs)


@kernel()
def step_attention(team, queries, keys, values, origins, bias, scale, sizes, outputs):
    """Write the means of the values for each row, (R, W).

    queries: (R, W). keys, values: (rows, room, W). origins: (R, S), rows of the keys. bias: added
    to the scaled scores, float32. All are flat; `sizes` says how origins and bias are laid out.
    """
    arrays = (queries, keys, values, origins, bias, np.float32(scale), sizes, outputs)
    share_out(team, attend_rows, arrays, (sizes.num_rows + ROWS - 1) // ROWS)
