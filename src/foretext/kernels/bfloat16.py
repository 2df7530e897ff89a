"""Rows of float32 or bfloat16 read and written as sixteen float32 lanes.

A bfloat16 is the upper half of a float32. numpy has no such type, so an array of them is one of
their bits, uint16. `load_lanes` and `store_lanes` look at the array's type when a kernel is
compiled: one kernel serves both precisions, and all arithmetic is float32.

The definitions are in `foretext.kernels.bfloat16_lanes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foretext.kernels.compile import Intrinsic

__all__ = ["from_bits", "load_lanes", "load_one", "store_lanes", "store_one", "to_bits"]

load_lanes: Any = Intrinsic("foretext.kernels.bfloat16_lanes", "load_lanes")
load_one: Any = Intrinsic("foretext.kernels.bfloat16_lanes", "load_one")
store_lanes: Any = Intrinsic("foretext.kernels.bfloat16_lanes", "store_lanes")
store_one: Any = Intrinsic("foretext.kernels.bfloat16_lanes", "store_one")


def to_bits(values: np.ndarray) -> np.ndarray:
    """Round float32 to bfloat16, to nearest and even; returns bits (uint16) of the same shape."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((words + 0x7FFF + ((words >> 16) & 1)) >> 16).astype(np.uint16)


def from_bits(bits: np.ndarray) -> np.ndarray:
    """Float32 of bfloat16 bits, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
