"""Lanes of float32 or bfloat16, read and written: what `foretext.kernels.bfloat16` names.

This module is imported when a kernel that uses it is compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from foretext.kernels.lanes import address_of, lanes
from foretext.kernels.simd import LANES

__all__ = ["load_lanes", "load_one", "store_lanes", "store_one"]

_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_WORDS = ir.VectorType(ir.IntType(32), LANES)
_BITS = ir.VectorType(ir.IntType(16), LANES)


def _constant(value: int) -> ir.Constant:
    return ir.Constant(_WORDS, [value] * LANES)


def _is_bits(array: Any) -> bool:
    if array.dtype not in (types.uint16, types.float32):
        raise TypingError(f"an array of float32 or of bfloat16 bits is needed, not {array}")
    return bool(array.dtype == types.uint16)


@intrinsic
def load_lanes(typing: Any, array: Any, index: Any) -> Any:
    """Lanes at ``array[index : index + 16]``, of float32 or of bfloat16 bits."""
    kind, align = (_BITS, 2) if _is_bits(array) else (_FLOATS, 4)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args)
        value = builder.load(builder.bitcast(address, kind.as_pointer()), align=align)
        if kind is _FLOATS:
            return value
        return builder.bitcast(builder.shl(builder.zext(value, _WORDS), _constant(16)), _FLOATS)

    return lanes(array, types.intp), generate


@intrinsic
def store_lanes(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write the lanes to ``array[index : index + 16]``; bfloat16 is rounded to nearest, even."""
    is_bits = _is_bits(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        value, kind, align = args[2], _FLOATS, 4
        if is_bits:
            value, kind, align = _rounded(builder, value), _BITS, 2
        builder.store(value, builder.bitcast(address, kind.as_pointer()), align=align)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


def _rounded(builder: Any, value: Any) -> Any:
    """The upper 16 bits, rounded to nearest; a number halfway goes to the even one."""
    words = builder.bitcast(value, _WORDS)
    odd = builder.and_(builder.lshr(words, _constant(16)), _constant(1))
    words = builder.add(builder.add(words, _constant(0x7FFF)), odd)
    return builder.trunc(builder.lshr(words, _constant(16)), _BITS)


@intrinsic
def load_one(typing: Any, array: Any, index: Any) -> Any:
    """Return ``array[index]`` as float32, of float32 or of bfloat16 bits."""
    is_bits = _is_bits(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(address_of(context, builder, signature.args[0], *args))
        if not is_bits:
            return value
        word = builder.shl(builder.zext(value, ir.IntType(32)), ir.Constant(ir.IntType(32), 16))
        return builder.bitcast(word, ir.FloatType())

    return types.float32(array, types.intp), generate


@intrinsic
def store_one(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a float32 to ``array[index]``; bfloat16 is rounded to nearest, even."""
    is_bits = _is_bits(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        value = args[2]
        if is_bits:
            lane = ir.Constant(ir.IntType(32), 0)
            vector = builder.insert_element(ir.Constant(_FLOATS, ir.Undefined), value, lane)
            value = builder.extract_element(_rounded(builder, vector), lane)
        builder.store(value, address)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.float32), generate
