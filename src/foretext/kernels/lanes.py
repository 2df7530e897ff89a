"""Sixteen float32 lanes as a numba type, and narrow lanes; `foretext.kernels.simd` says what for.

This module is imported when a kernel that uses it is compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, register_model

from foretext.kernels.simd import LANES

__all__ = [
    "absolute",
    "address_of",
    "clamp",
    "element",
    "fma",
    "inverse_root",
    "lanes",
    "load",
    "narrow",
    "narrow_load",
    "narrow_splat",
    "narrow_width",
    "narrow_zeros",
    "prefetch",
    "splat",
    "store",
    "store_bytes",
    "transposed_sum",
    "zeros",
]

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INT32 = ir.IntType(32)
_WORDS = ir.VectorType(_INT32, LANES)
_BYTES = ir.VectorType(ir.IntType(8), LANES)


class _Lanes(types.Type):
    """numba's name for a number of float32."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"float32x{width}")
        self.width = width

    @property
    def vector(self) -> Any:
        """LLVM's name."""
        return ir.VectorType(_FLOAT, self.width)


def _narrow_width() -> int:
    """Sixteen with AVX-512, which has 32 registers of sixteen lanes; else eight.

    Two times six accumulators of sixteen lanes need 24 of AVX2's registers, which are 16.
    """
    features = cpu_target.target_context.codegen().magic_tuple()[2]
    return LANES if "+avx512f" in features.split(",") else LANES // 2


lanes = _Lanes(LANES)
narrow = _Lanes(_narrow_width())


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.vector)


def address_of(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Pointer to an element of a contiguous array, for use within an intrinsic."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


def _call(builder: Any, name: str, kind: Any, args: Any) -> Any:
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _load(kind: _Lanes) -> Callable[..., Any]:
    def load(typing: Any, array: Any, index: Any) -> Any:
        """Lanes at ``array[index : index + 16]``; of narrow ones as many as the type has."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address = address_of(context, builder, signature.args[0], *args)
            return builder.load(builder.bitcast(address, kind.vector.as_pointer()), align=4)

        return kind(array, types.intp), generate

    return load


load = intrinsic(_load(lanes))
narrow_load = intrinsic(_load(narrow))


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write the lanes to ``array[index : index + 16]``; of narrow ones as many as there are."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, value.vector.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def store_bytes(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write lanes from 0 to below 256 to ``array[index : index + 16]``, uint8, cut to integers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        value = builder.trunc(builder.fptosi(args[2], _WORDS), _BYTES)
        builder.store(value, builder.bitcast(address, _BYTES.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
def element(typing: Any, array: Any, index: Any) -> Any:
    """``array[index]`` of an index that is not negative: numba would look at its sign each time."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(address_of(context, builder, signature.args[0], *args))

    return array.dtype(array, types.intp), generate


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


def _splat(kind: _Lanes) -> Callable[..., Any]:
    def splat(typing: Any, value: Any) -> Any:
        """The same float32 in every lane."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            empty = ir.Constant(kind.vector, ir.Undefined)
            first = builder.insert_element(empty, args[0], _INT32(0))
            mask = ir.Constant(ir.VectorType(_INT32, kind.width), [0] * kind.width)
            return builder.shuffle_vector(first, first, mask)

        return kind(types.float32), generate

    return splat


splat = intrinsic(_splat(lanes))
narrow_splat = intrinsic(_splat(narrow))


def _zeros(kind: _Lanes) -> Callable[..., Any]:
    def zeros(typing: Any) -> Any:
        """Zero in every lane."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return ir.Constant(kind.vector, [0.0] * kind.width)

        return kind(), generate

    return zeros


zeros = intrinsic(_zeros(lanes))
narrow_zeros = intrinsic(_zeros(narrow))


@intrinsic
def narrow_width(typing: Any) -> Any:
    """The number of narrow lanes, a constant of the compiled code."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.intp, narrow.width)

    return types.intp(), generate


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` in each lane, rounded once where the processor has an instruction for it.

    Elsewhere `llvm.fma` would round once, too, by a call of the C library for every lane: training
    would take eight times as long.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(a.vector, [a.vector] * 3)
        return _call(builder, f"llvm.fmuladd.v{a.width}f32", kind, args)

    return a(a, a, a), generate


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
        cases = tuple(kind(kind, kind) for kind in {lanes, narrow})

    @lower_builtin(symbol, lanes, lanes)
    @lower_builtin(symbol, narrow, narrow)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


_operator(operator.add, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
_operator(operator.truediv, "fdiv")


def _pairwise(builder: Any, vectors: list[Any], even: list[int], odd: list[int]) -> list[Any]:
    """Halve the number of vectors: each pair is shuffled two ways and added."""

    def shuffled(a: Any, b: Any, mask: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, len(mask)), mask))

    pairs = zip(vectors[::2], vectors[1::2], strict=True)
    return [builder.fadd(shuffled(a, b, even), shuffled(a, b, odd)) for a, b in pairs]


def _steps(width: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the shuffles after which all lanes of a vector are added up, and stand in one."""
    a, b = range(width), range(width, 2 * width)
    fours = range(0, width, 4)
    yield (
        [lane for at in fours for lane in (a[at], b[at], a[at + 1], b[at + 1])],
        [lane for at in fours for lane in (a[at + 2], b[at + 2], a[at + 3], b[at + 3])],
    )
    yield (
        [lane for at in fours for lane in (*a[at : at + 2], *b[at : at + 2])],
        [lane for at in fours for lane in (*a[at + 2 : at + 4], *b[at + 2 : at + 4])],
    )
    for _ in range((width // 4).bit_length() - 1):
        both = range(0, 2 * width, 8)
        yield (
            [lane for at in both for lane in range(at, at + 4)],
            [lane for at in both for lane in range(at + 4, at + 8)],
        )


@intrinsic
def transposed_sum(typing: Any, vectors: Any) -> Any:
    """Lane i of the sixteen is the sum of the lanes of ``vectors[i]``; missing ones give 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, count = vectors.dtype, len(vectors)
        rest = [ir.Constant(kind.vector, [0.0] * kind.width)] * (LANES - count)
        sums = [builder.extract_value(args[0], i) for i in range(count)] + rest
        for even, odd in _steps(kind.width):
            sums = _pairwise(builder, sums, even, odd)
        return sums[0] if len(sums) == 1 else _joined(builder, *sums)

    return lanes(vectors), generate


def _joined(builder: Any, left: Any, right: Any) -> Any:
    """Sixteen lanes of two times eight."""
    order = ir.Constant(ir.VectorType(_INT32, LANES), list(range(LANES)))
    return builder.shuffle_vector(left, right, order)
