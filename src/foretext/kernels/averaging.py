"""Copies of a matrix that learned apart become one again, row by row.

D floats a row (`stride`, whole registers).
"""

from __future__ import annotations

from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros

__all__ = ["merge_rows"]


@kernel(kept=True)
def merge_rows(copies, num_copies, size, own, number, merged, first, last, stride, shares):
    """Add to rows `first` to `last` - 1 of `merged` the sum of the copies' changes, times a share.

    copies: flat float32, `size` numbers of each copy, one after another; own: flat, the copy of
    this `number`, which is read in place of that in `copies`, and gets the merged rows; merged:
    flat, what all copies were before they changed; shares: (last - first,) float32. Returns the
    number of rows.
    """
    for row in range(first, last):
        share = splat(shares[row - first])
        for d in range(row * stride, (row + 1) * stride, LANES):
            before = load(merged, d)
            change = zeros()
            for copy in range(num_copies):
                after = load(own, d) if copy == number else load(copies, copy * size + d)
                change = change + (after - before)
            after = fma(change, share, before)
            store(merged, d, after)
            store(own, d, after)
    return last - first
