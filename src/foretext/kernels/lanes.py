"""Sixteen float32 lanes as a numba type; `foretext.kernels.simd` says what for.

This module is imported when a kernel that uses it is compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, register_model

from foretext.kernels.simd import LANES

__all__ = [
    "absolute",
    "address_of",
    "clamp",
    "fma",
    "inverse_root",
    "lanes",
    "load",
    "prefetch",
    "splat",
    "store",
    "transposed_sum",
    "zeros",
]

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INT32 = ir.IntType(32)


class _Lanes(types.Type):
    """numba's name for sixteen float32."""

    def __init__(self) -> None:
        super().__init__(name="float32x16")


lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def address_of(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Pointer to an element of a contiguous array, for use within an intrinsic."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


def _call(builder: Any, name: str, kind: Any, args: Any) -> Any:
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Lanes at ``array[index : index + 16]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args)
        return builder.load(builder.bitcast(address, _VECTOR.as_pointer()), align=4)

    return lanes(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write the lanes to ``array[index : index + 16]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]``, which will be written soon."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _INT32, _INT32, _INT32])
        address = builder.bitcast(address_of(context, builder, signature.args[0], *args), byte)
        to_write, keep_near, data_cache = (_INT32(1), _INT32(3), _INT32(1))
        _call(builder, "llvm.prefetch.p0", kind, [address, to_write, keep_near, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@intrinsic
def splat(typing: Any, value: Any) -> Any:
    """The same float32 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[0], _INT32(0))
        mask = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
        return builder.shuffle_vector(first, first, mask)

    return lanes(types.float32), generate


@intrinsic
def zeros(typing: Any) -> Any:
    """Zero in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_VECTOR, [0.0] * LANES)

    return lanes(), generate


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` in each lane, rounded once where the processor has an instruction for it.

    Elsewhere `llvm.fma` would round once, too, by a call of the C library for every lane: training
    would take eight times as long.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        return _call(builder, "llvm.fmuladd.v16f32", kind, args)

    return lanes(lanes, lanes, lanes), generate


@intrinsic
def clamp(typing: Any, a: Any, limit: Any) -> Any:
    """Each lane held between ``-limit`` and ``limit`` (lanes as well)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, high = args
        low = builder.fneg(high)
        value = builder.select(builder.fcmp_ordered("<", value, high), value, high)
        return builder.select(builder.fcmp_ordered(">", value, low), value, low)

    return lanes(lanes, lanes), generate


@intrinsic
def absolute(typing: Any, a: Any) -> Any:
    """The magnitude of each lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.fabs.v16f32", ir.FunctionType(_VECTOR, [_VECTOR]), args)

    return lanes(lanes), generate


@intrinsic
def inverse_root(typing: Any, a: Any) -> Any:
    """One over the square root of each positive lane, to some 22 bits.

    Free to use the processor's estimate and a step of Newton's, it costs a fourth of a root and a
    division.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        root = cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v16f32")
        one = ir.Constant(_VECTOR, [1.0] * LANES)
        return builder.fdiv(one, builder.call(root, args, fastmath=("fast",)), flags=("fast",))

    return lanes(lanes), generate


def _operator(symbol: Callable[..., Any], instruction: str) -> None:
    """Give a Python operator its meaning between two values of this type."""

    @infer_global(symbol)
    class _Typing(ConcreteTemplate):
        cases = (lanes(lanes, lanes),)

    @lower_builtin(symbol, lanes, lanes)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


_operator(operator.add, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
_operator(operator.truediv, "fdiv")


def _pairwise(builder: Any, vectors: list[Any], even: list[int], odd: list[int]) -> list[Any]:
    """Halve the number of vectors: each pair is shuffled two ways and added."""

    def shuffled(a: Any, b: Any, mask: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, LANES), mask))

    pairs = zip(vectors[::2], vectors[1::2], strict=True)
    return [builder.fadd(shuffled(a, b, even), shuffled(a, b, odd)) for a, b in pairs]


def _quads(pattern: list[int]) -> list[int]:
    """The same shuffle of four lanes in each quarter of the register (b's lanes start at 16)."""
    return [4 * quarter + lane for quarter in range(4) for lane in pattern]


def _quarters(pattern: list[int]) -> list[int]:
    """A shuffle of whole quarters (b's quarters are 4 to 7)."""
    return [4 * quarter + lane for quarter in pattern for lane in range(4)]


_STEPS = (
    (_quads([0, 16, 1, 17]), _quads([2, 18, 3, 19])),
    (_quads([0, 1, 16, 17]), _quads([2, 3, 18, 19])),
    (_quarters([0, 2, 4, 6]), _quarters([1, 3, 5, 7])),
    (_quarters([0, 2, 4, 6]), _quarters([1, 3, 5, 7])),
)


@intrinsic
def transposed_sum(typing: Any, vectors: Any) -> Any:
    """Lane i of the result is the sum of the lanes of ``vectors[i]``; missing ones give 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        count = len(signature.args[0])
        rest = [ir.Constant(_VECTOR, [0.0] * LANES)] * (LANES - count)
        sums = [builder.extract_value(args[0], i) for i in range(count)] + rest
        for even, odd in _STEPS:
            sums = _pairwise(builder, sums, even, odd)
        return sums[0]

    return lanes(vectors), generate
