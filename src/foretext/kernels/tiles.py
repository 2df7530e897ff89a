"""The co-occurrence matrix cut into tiles: blocks of rows by blocks of columns.

Word i belongs to block ``i % blocks`` and is number ``i // blocks`` there, so that each block has
its share of frequent words and all tiles are about as full. Cells keep the order of rows and
columns within their tile.
"""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import high32, random64

__all__ = ["held_out", "size_tiles", "take_cells"]


@kernel(inline="always")
def held_out(row, column, seed, threshold):
    """Whether a cell is never trained on, and its mirror image neither.

    threshold: uint64, the share of cells in 1 / 2**32.
    """
    low = np.uint64(min(row, column))
    high = np.uint64(max(row, column))
    bits = random64(random64((high << np.uint64(32)) | low) + np.uint64(seed))
    return high32(bits) < threshold


@kernel()
def size_tiles(row_starts, columns, blocks, seed, threshold):
    """How many cells each tile has, (blocks * blocks,) int64, and how many are held out."""
    sizes = np.zeros(blocks * blocks, np.int64)
    num_held_out = 0
    for row in range(row_starts.size - 1):
        base = row % blocks * blocks
        for k in range(row_starts[row], row_starts[row + 1]):
            column = np.int64(columns[k])
            if held_out(row, column, seed, threshold):
                num_held_out += 1
            else:
                sizes[base + column % blocks] += 1
    return sizes, num_held_out


@kernel()
def take_cells(row_starts, columns, counts, blocks, seed, threshold, x_max, exponent, cells, held):
    """Write each cell to its place in `cells` (their `Cells`) or, if held out, to `held`.

    held: (held-out cells,) arrays of rows, columns, logs and weights.
    """
    cursors = cells.tile_starts[:-1].copy()
    held_rows, held_columns, held_logs, held_weights = held
    num_held_out = 0
    for row in range(row_starts.size - 1):
        base = row % blocks * blocks
        for k in range(row_starts[row], row_starts[row + 1]):
            column = np.int64(columns[k])
            count = np.float64(counts[k])
            log = np.float32(math.log(count))
            weight = np.float32(1.0 if count >= x_max else (count / x_max) ** exponent)
            if held_out(row, column, seed, threshold):
                held_rows[num_held_out] = row
                held_columns[num_held_out] = column
                held_logs[num_held_out] = log
                held_weights[num_held_out] = weight
                num_held_out += 1
            else:
                at = cursors[base + column % blocks]
                cells.rows[at] = row // blocks
                cells.columns[at] = column // blocks
                cells.logs[at] = log
                cells.weights[at] = weight
                cursors[base + column % blocks] = at + 1
