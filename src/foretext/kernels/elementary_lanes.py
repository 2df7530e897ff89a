"""What `foretext.kernels.elementary` names; imported when a kernel that uses it is compiled.

The exponential is the one of the Cephes library: 2**n times a polynomial on [-ln 2 / 2, ln 2 / 2],
right to one unit in the last place or two. LLVM has no vector version of its own, and calling
the C library's for every lane costs ten times as much.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from foretext.kernels.lanes import lanes
from foretext.kernels.simd import LANES

__all__ = ["by_sign", "exponential", "lane_max", "lane_sum", "maximum", "root"]

_FLOAT = ir.FloatType()
_FLOATS = ir.VectorType(_FLOAT, LANES)
_WORDS = ir.VectorType(ir.IntType(32), LANES)

_LOG2_E = 1.44269504088896341
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4  # their sum is ln 2; n * high is exact
_LOWEST, _HIGHEST = -87.0, 88.0  # beyond them 2**n is no normal float32
_COEFFICIENTS = (  # of r**7 .. r**2
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)


def _floats(value: float) -> ir.Constant:
    return ir.Constant(_FLOATS, [value] * LANES)


def _words(value: int) -> ir.Constant:
    return ir.Constant(_WORDS, [value] * LANES)


def _call(builder: Any, name: str, result: Any, *args: Any) -> Any:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    return _call(builder, "llvm.fmuladd.v16f32", _FLOATS, a, b, c)


@intrinsic
def exponential(typing: Any, a: Any) -> Any:
    """Return e to the power of each lane; below -87 it is 0, above 88 as at 88, NaN stays NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = _floats(_LOWEST), _floats(_HIGHEST)
        x = builder.select(builder.fcmp_ordered("<", args[0], low), low, args[0])
        x = builder.select(builder.fcmp_ordered(">", x, high), high, x)
        n = _call(builder, "llvm.rint.v16f32", _FLOATS, builder.fmul(x, _floats(_LOG2_E)))
        r = _fma(builder, n, _floats(-_LN2_HIGH), x)
        r = _fma(builder, n, _floats(-_LN2_LOW), r)
        p = _floats(_COEFFICIENTS[0])
        for coefficient in _COEFFICIENTS[1:]:
            p = _fma(builder, p, r, _floats(coefficient))
        p = _fma(builder, p, builder.fmul(r, r), builder.fadd(r, _floats(1.0)))
        exponent = builder.add(builder.fptosi(n, _WORDS), _words(127))
        scale = builder.bitcast(builder.shl(exponent, _words(23)), _FLOATS)
        vanishes = builder.fcmp_ordered("<", args[0], low)
        return builder.select(vanishes, _floats(0.0), builder.fmul(p, scale))

    return lanes(lanes), generate


@intrinsic
def maximum(typing: Any, a: Any, b: Any) -> Any:
    """Return the larger of two lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return lanes(lanes, lanes), generate


@intrinsic
def lane_max(typing: Any, a: Any) -> Any:
    """Return the largest of the sixteen lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.vector.reduce.fmax.v16f32", _FLOAT, args[0])

    return types.float32(lanes), generate


@intrinsic
def lane_sum(typing: Any, a: Any) -> Any:
    """Add the sixteen lanes, in pairs of pairs."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, half = args[0], LANES // 2
        while half:
            mask = ir.Constant(ir.VectorType(ir.IntType(32), half), list(range(half)))
            upper = ir.Constant(ir.VectorType(ir.IntType(32), half), list(range(half, 2 * half)))
            value = builder.fadd(
                builder.shuffle_vector(value, value, mask),
                builder.shuffle_vector(value, value, upper),
            )
            half //= 2
        return builder.extract_element(value, ir.Constant(ir.IntType(32), 0))

    return types.float32(lanes), generate


@intrinsic
def root(typing: Any, a: Any) -> Any:
    """Return the square root of each lane, correctly rounded."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.sqrt.v16f32", _FLOATS, args[0])

    return lanes(lanes), generate


@intrinsic
def by_sign(typing: Any, a: Any, positive: Any, negative: Any) -> Any:
    """Return each lane of `positive` where a is above 0, else that of `negative`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        above = builder.fcmp_ordered(">", args[0], _floats(0.0))
        return builder.select(above, args[1], args[2])

    return lanes(lanes, lanes, lanes), generate
