"""Numbers kept or dropped by chance (Srivastava et al. 2014), at the price of reading them.

Whether a number is dropped is a hash of its place and of a seed (the finalizer of Appleby's
MurmurHash3, the seed's halves put in before its two products): nothing is drawn one after another,
no mask is held for the way back, and the threads that share the work cannot change the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import Intrinsic, kernel
from foretext.kernels.simd import LANES
from foretext.kernels.team import share_out

__all__ = ["PORTION", "dropout"]

PORTION = 1 << 14  # numbers that one thread takes at a time

factors: Any = Intrinsic("foretext.kernels.dropout_lanes", "factors")


@kernel()
def dropout_portion(inputs, outputs, low, high, limit, scale, k):
    """Do portion `k`."""
    for i in range(k * PORTION, min((k + 1) * PORTION, inputs.size), LANES):
        store_lanes(outputs, i, load_lanes(inputs, i) * factors(i, low, high, limit, scale))


@kernel()
def dropout(team, inputs, outputs, seed, rate):
    """Write inputs to outputs, each of them zero with chance `rate` or divided by 1 - rate.

    inputs, outputs: (n,) float32 or bfloat16 bits, n a multiple of 16; may be one array. seed: of
    63 bits. rate: from 0 to less than 1.
    """
    limit, scale = np.uint32(rate * 4294967296.0), np.float32(1.0 / (1.0 - rate))
    args = (inputs, outputs, seed & 0xFFFFFFFF, seed >> 32, limit, scale)
    share_out(team, dropout_portion, args, (inputs.size + PORTION - 1) // PORTION)
