"""A linear map of a few rows, y = W x + b, at the speed at which W comes from memory.

Libraries of matrix products are made for many rows, and reach a third of it for one. Here W lies in
blocks of sixteen outputs, in the order in which it is read, as bfloat16: half the bytes. All
arithmetic is float32.

R: rows, K: numbers of a row, N: outputs, a multiple of 16.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, to_bits
from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["pack_blocks", "row_linear"]

BLOCKS = 8  # a portion of one thread


def pack_blocks(weight: np.ndarray) -> np.ndarray:
    """Return (N, K) float32 as bits of blocks, (N / 16, K, 16) uint16 flat, zeros behind row N."""
    num_outputs, width = weight.shape
    num_blocks = -(-num_outputs // LANES)
    padded = np.zeros((num_blocks * LANES, width), np.float32)
    padded[:num_outputs] = weight
    blocks = padded.reshape(num_blocks, LANES, width).transpose(0, 2, 1)
    return to_bits(np.ascontiguousarray(blocks)).reshape(-1)


@kernel()
def take_blocks(blocks, bias, rows, outputs, width, k):
    """Compute the outputs of portion `k`, as `quantized_linear` says."""
    num_outputs, num_rows = bias.size, rows.size // width
    whole = width - width % 4
    for n in range(k * BLOCKS * LANES, min((k + 1) * BLOCKS * LANES, num_outputs), LANES):
        for r in range(num_rows):
            at, row = n * width, r * width
            first, second, third, fourth = load(bias, n), zeros(), zeros(), zeros()
            for i in range(row, row + whole, 4):
                first = fma(load_lanes(blocks, at), splat(rows[i]), first)
                second = fma(load_lanes(blocks, at + LANES), splat(rows[i + 1]), second)
                third = fma(load_lanes(blocks, at + 2 * LANES), splat(rows[i + 2]), third)
                fourth = fma(load_lanes(blocks, at + 3 * LANES), splat(rows[i + 3]), fourth)
                at += 4 * LANES
            for i in range(row + whole, row + width):
                first = fma(load_lanes(blocks, at), splat(rows[i]), first)
                at += LANES
            store(outputs, r * num_outputs + n, (first + second) + (third + fourth))


@kernel()
def row_linear(team, blocks, bias, rows, outputs, width):
    """Write the outputs of each row.

    blocks: as `pack_blocks` makes them; bias: (N,) float32; rows: (R * K,) float32; outputs:
    (R * N,) float32; width: K.
    """
    args = (blocks, bias, rows, outputs, width)
    portion = BLOCKS * LANES
    share_out(team, take_blocks, args, (bias.size + portion - 1) // portion)
