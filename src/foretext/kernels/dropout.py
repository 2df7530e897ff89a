"""Numbers kept or dropped by chance (Srivastava et al. 2014), at the price of reading them.

Whether a number is dropped is a hash of its place and of a seed (the finalizer of Appleby's
MurmurHash3, the seed's halves put in before its two products): nothing is drawn one after another,
no mask is held for the way back, and the threads that share the work cannot change the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.lanes import lanes
from foretext.kernels.simd import LANES
from foretext.kernels.team import share_out

__all__ = ["PORTION", "dropout"]

PORTION = 1 << 14  # numbers that one thread takes at a time

_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_INT32 = ir.IntType(32)
_WORDS = ir.VectorType(_INT32, LANES)
_GOLDEN, _FIRST, _SECOND = 0x9E3779B9, 0x85EBCA6B, 0xC2B2AE35


def _words(value: int) -> ir.Constant:
    return ir.Constant(_WORDS, [value] * LANES)


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _INT32(0))
    return builder.shuffle_vector(first, first, ir.Constant(_WORDS, [0] * LANES))


def _folded(builder: Any, words: Any, bits: int) -> Any:
    return builder.xor(words, builder.lshr(words, _words(bits)))


@intrinsic
def factors(typing: Any, place: Any, low: Any, high: Any, limit: Any, scale: Any) -> Any:
    """Return for each of sixteen places zero, with a chance of limit / 2**32, or the scale."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place, *halves = (builder.trunc(value, _INT32) for value in args[:3])
        low, high, limit = (_splat(builder, value, _WORDS) for value in (*halves, args[3]))
        numbers = ir.Constant(_WORDS, list(range(LANES)))
        x = builder.add(_splat(builder, place, _WORDS), numbers)
        x = builder.add(builder.mul(x, _words(_GOLDEN)), low)
        x = builder.mul(_folded(builder, x, 16), _words(_FIRST))
        x = builder.mul(_folded(builder, builder.xor(x, high), 13), _words(_SECOND))
        dropped = builder.icmp_unsigned("<", _folded(builder, x, 16), limit)
        nothing = ir.Constant(_FLOATS, [0.0] * LANES)
        return builder.select(dropped, nothing, _splat(builder, args[4], _FLOATS))

    return lanes(types.int64, types.int64, types.int64, types.uint32, types.float32), generate


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
