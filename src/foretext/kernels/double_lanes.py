"""Eight float64 lanes as a numba type; `foretext.kernels.doubles` says what for.

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

from foretext.kernels.doubles import WIDTH
from foretext.kernels.lanes import address_of

__all__ = [
    "doubles",
    "keep_larger",
    "load",
    "multiply_add",
    "splat",
    "store",
    "store_index",
]

_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
_SHORTS = ir.VectorType(ir.IntType(16), WIDTH)
_INT32 = ir.IntType(32)


class _Doubles(types.Type):
    """numba's name for eight float64."""

    def __init__(self) -> None:
        super().__init__(name="float64x8")


doubles = _Doubles()


@register_model(_Doubles)
class _DoublesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _DOUBLES)


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Lanes at ``array[index : index + 8]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args)
        return builder.load(builder.bitcast(address, _DOUBLES.as_pointer()), align=8)

    return doubles(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write the lanes to ``array[index : index + 8]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, _DOUBLES.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, doubles), generate


@intrinsic
def store_index(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write lanes that hold whole numbers to an int16 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *args[:2])
        shorts = builder.fptosi(args[2], _SHORTS)
        builder.store(shorts, builder.bitcast(address, _SHORTS.as_pointer()), align=2)
        return context.get_dummy_value()

    return types.void(array, types.intp, doubles), generate


@intrinsic
def splat(typing: Any, value: Any) -> Any:
    """The same float64 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.insert_element(ir.Constant(_DOUBLES, ir.Undefined), args[0], _INT32(0))
        mask = ir.Constant(ir.VectorType(_INT32, WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(first, first, mask)

    return doubles(types.float64), generate


@intrinsic
def multiply_add(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` in each lane, rounded once where the processor has an instruction for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_DOUBLES, [_DOUBLES] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.fmuladd.v8f64")
        return builder.call(function, args)

    return doubles(doubles, doubles, doubles), generate


@intrinsic
def keep_larger(typing: Any, best: Any, place: Any, other: Any, other_place: Any) -> Any:
    """Return, in each lane, the larger value with its place, of equals the first."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        best, place, other, other_place = args
        larger = builder.fcmp_ordered(">", other, best)
        kept = builder.select(larger, other, best), builder.select(larger, other_place, place)
        return context.make_tuple(builder, signature.return_type, kept)

    pair = types.UniTuple(doubles, 2)  # type: ignore[attr-defined]
    return pair(doubles, doubles, doubles, doubles), generate


def _operator(symbol: Callable[..., Any], instruction: str) -> None:
    """Give a Python operator its meaning between two values of this type."""

    @infer_global(symbol)
    class _Typing(ConcreteTemplate):
        cases = (doubles(doubles, doubles),)

    @lower_builtin(symbol, doubles, doubles)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


_operator(operator.add, "fadd")
_operator(operator.mul, "fmul")
