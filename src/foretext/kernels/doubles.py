"""Eight float64 lanes as one value inside numba kernels: `foretext.kernels.simd` in double width.

Indices are element offsets into flat, contiguous arrays. The definitions are in
`foretext.kernels.double_lanes`.
"""

from __future__ import annotations

from typing import Any

from foretext.kernels.compile import Intrinsic

__all__ = [
    "WIDTH",
    "keep_larger",
    "load",
    "multiply_add",
    "splat",
    "store",
    "store_index",
]

WIDTH = 8

keep_larger: Any = Intrinsic("foretext.kernels.double_lanes", "keep_larger")
load: Any = Intrinsic("foretext.kernels.double_lanes", "load")
multiply_add: Any = Intrinsic("foretext.kernels.double_lanes", "multiply_add")
splat: Any = Intrinsic("foretext.kernels.double_lanes", "splat")
store: Any = Intrinsic("foretext.kernels.double_lanes", "store")
store_index: Any = Intrinsic("foretext.kernels.double_lanes", "store_index")
