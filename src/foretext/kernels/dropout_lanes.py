"""Which of sixteen numbers are dropped: what `foretext.kernels.dropout` names.

This module is imported when a kernel that uses it is compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from foretext.kernels.lanes import lanes
from foretext.kernels.simd import LANES

__all__ = ["factors"]

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
