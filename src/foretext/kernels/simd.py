"""Sixteen float32 lanes as one value inside numba kernels.

numba has no vector type, and LLVM's own vectoriser spends half of a short dot product on summing
the lanes of each accumulator apart. Here a register of sixteen lanes is a numba type with loads,
stores and fused multiply-add, and `transposed_sum` adds up to sixteen accumulators at once by
transposing while adding: 15 additions instead of 64. LLVM splits the lanes where registers are
narrower (AVX2, NEON), so the same kernel runs everywhere.

A loop that holds a dozen accumulators or more takes *narrow* lanes: eight of them where sixteen
would need more registers than there are, so that every sum would go to memory and back
(docs/decisions/0220). `narrow_width()` says how many. Sums of the first halves of sixteen lanes
plus those of the second halves are the sums of sixteen, to the last bit.

Indices are element offsets into flat, contiguous float32 arrays. The definitions are in
`foretext.kernels.lanes`; here are their names, so that importing a kernel does not import numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foretext.kernels.compile import Intrinsic

__all__ = [
    "LANES",
    "absolute",
    "aligned_zeros",
    "clamp",
    "element",
    "fma",
    "inverse_root",
    "load",
    "narrow_load",
    "narrow_splat",
    "narrow_width",
    "narrow_zeros",
    "padded",
    "prefetch",
    "splat",
    "store",
    "store_bytes",
    "transposed_sum",
    "zeros",
]

LANES = 16

absolute: Any = Intrinsic("foretext.kernels.lanes", "absolute")
clamp: Any = Intrinsic("foretext.kernels.lanes", "clamp")
element: Any = Intrinsic("foretext.kernels.lanes", "element")
fma: Any = Intrinsic("foretext.kernels.lanes", "fma")
inverse_root: Any = Intrinsic("foretext.kernels.lanes", "inverse_root")
load: Any = Intrinsic("foretext.kernels.lanes", "load")
narrow_load: Any = Intrinsic("foretext.kernels.lanes", "narrow_load")
narrow_splat: Any = Intrinsic("foretext.kernels.lanes", "narrow_splat")
narrow_width: Any = Intrinsic("foretext.kernels.lanes", "narrow_width")
narrow_zeros: Any = Intrinsic("foretext.kernels.lanes", "narrow_zeros")
prefetch: Any = Intrinsic("foretext.kernels.lanes", "prefetch")
splat: Any = Intrinsic("foretext.kernels.lanes", "splat")
store: Any = Intrinsic("foretext.kernels.lanes", "store")
store_bytes: Any = Intrinsic("foretext.kernels.lanes", "store_bytes")
transposed_sum: Any = Intrinsic("foretext.kernels.lanes", "transposed_sum")
zeros: Any = Intrinsic("foretext.kernels.lanes", "zeros")


def padded(dim: int) -> int:
    """Return `dim` rounded up to whole registers, the stride of a matrix's rows."""
    return -(-dim // LANES) * LANES


def aligned_zeros(rows: int, stride: int) -> np.ndarray:
    """A zeroed flat float32 array of ``rows * stride`` that starts on a 64-byte line."""
    buffer = np.zeros(rows * stride + LANES, np.float32)
    offset = (-buffer.ctypes.data % 64) // 4
    return buffer[offset : offset + rows * stride]
