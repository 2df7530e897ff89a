"""Walker's alias table: a draw from any distribution with one random number and one cache line."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["alias_table"]


def alias_table(weights: np.ndarray) -> np.ndarray:
    """Return (V, 2) uint32: the chance to keep a row, in 1 / 2**32, and the row it becomes else.

    weights: (V,) float64, not all zero (Vose 1991). A row of weight zero is never kept.
    """
    size = weights.size
    table = np.empty((size, 2), np.uint32)
    fill_table(weights, np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), table)
    return table


@kernel(kept=True)
def fill_table(weights, scaled, small, large, table):
    """Fill `table`, with room for the weights' scaled values and for two heaps of rows, (V,)."""
    size = weights.size
    total = 0.0
    for row in range(size):
        total += weights[row]
    factor = size / total
    for row in range(size):
        scaled[row] = weights[row] * factor
    num_small = num_large = 0
    for row in range(size):
        if scaled[row] < 1.0:
            small[num_small] = row
            num_small += 1
        else:
            large[num_large] = row
            num_large += 1
    while num_small and num_large:
        num_small -= 1
        poor = small[num_small]
        rich = large[num_large - 1]
        table[poor, 0] = np.uint32(scaled[poor] * 4294967295.0)
        table[poor, 1] = rich
        scaled[rich] -= 1.0 - scaled[poor]
        if scaled[rich] < 1.0:
            num_large -= 1
            small[num_small] = rich
            num_small += 1
    for at in range(num_large):
        table[large[at], 0] = np.uint32(4294967295)
        table[large[at], 1] = large[at]
    for at in range(num_small):  # left over by rounding; in truth exactly 1
        table[small[at], 0] = np.uint32(4294967295)
        table[small[at], 1] = small[at]
