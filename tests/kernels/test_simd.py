"""Every operation on sixteen lanes does what numpy does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from foretext.kernels import double_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential
from foretext.kernels.simd import (
    LANES,
    absolute,
    aligned_zeros,
    clamp,
    element,
    fma,
    inverse_root,
    load,
    narrow_load,
    narrow_splat,
    narrow_width,
    narrow_zeros,
    padded,
    prefetch,
    splat,
    store,
    transposed_sum,
    zeros,
)


@kernel()
def run_arithmetic(a, out):
    x, y = load(a, 0), load(a, LANES)
    store(out, 0, x + y)
    store(out, 16, x - y)
    store(out, 32, x * y)
    store(out, 48, x / y)
    store(out, 64, fma(x, y, splat(np.float32(3.0))))
    store(out, 80, absolute(x - y))
    store(out, 96, clamp(x - y, splat(np.float32(0.25))))
    store(out, 112, zeros())
    prefetch(a, 0)


@kernel()
def sum_twelve(a, out):
    v = (
        load(a, 0),
        load(a, 16),
        load(a, 32),
        load(a, 48),
        load(a, 64),
        load(a, 80),
        load(a, 96),
        load(a, 112),
        load(a, 128),
        load(a, 144),
        load(a, 160),
        load(a, 176),
    )
    store(out, 0, transposed_sum(v))
    store(out, 16, transposed_sum((v[0],)))


def test_arithmetic_is_numpys() -> None:
    a = np.random.default_rng(0).random(2 * LANES, np.float32)
    out = np.full(128, np.nan, np.float32)
    run_arithmetic(a, out)
    x, y = a.reshape(2, LANES)
    expected = [x + y, x - y, x * y, x / y, x * y + 3, abs(x - y), np.clip(x - y, -0.25, 0.25)]
    np.testing.assert_allclose(out[:112], np.concatenate(expected), rtol=1e-6, atol=1e-7)
    assert not out[112:].any()


def test_transposed_sum_adds_the_lanes_of_each_vector() -> None:
    a = np.random.default_rng(0).random((12, LANES), np.float32)
    out = np.full(32, np.nan, np.float32)
    sum_twelve(a.ravel(), out)
    np.testing.assert_allclose(out[:12], a.sum(axis=1), rtol=1e-6)
    assert not out[12:16].any()
    assert out[16] == pytest.approx(a[0].sum(), rel=1e-6)
    assert not out[17:].any()


@kernel()
def run_narrow(a, numbers, out):
    width = narrow_width()
    for d in range(0, LANES, width):
        x, y = narrow_load(a, d), narrow_load(a, LANES + d)
        store(out, d, x + y)
        store(out, LANES + d, fma(x, y, narrow_splat(element(numbers, 1))))
        store(out, 2 * LANES + d, narrow_zeros() - x)
    return width


def test_narrow_lanes_add_up_to_sixteen() -> None:
    a = np.random.default_rng(0).random(2 * LANES, np.float32)
    out = np.full(3 * LANES, np.nan, np.float32)
    assert run_narrow(a, np.float32([3.0, 5.0]), out) in (LANES // 2, LANES)
    x, y = a.reshape(2, LANES)
    np.testing.assert_allclose(out, np.concatenate([x + y, x * y + 5, -x]), rtol=1e-6)


@kernel()
def sum_by_halves(a, wide, halves):
    store(wide, 0, transposed_sum((load(a, 0), load(a, LANES))))
    total = zeros()
    for d in range(0, LANES, narrow_width()):
        total = total + transposed_sum((narrow_load(a, d), narrow_load(a, LANES + d)))
    store(halves, 0, total)


def test_sums_of_halves_are_those_of_sixteen_lanes_to_the_last_bit() -> None:
    a = np.random.default_rng(0).standard_normal(2 * LANES).astype(np.float32)
    wide, halves = np.full(LANES, np.nan, np.float32), np.full(LANES, np.nan, np.float32)
    sum_by_halves(a, wide, halves)
    np.testing.assert_allclose(wide[:2], a.reshape(2, LANES).sum(axis=1), rtol=1e-5)
    assert np.array_equal(wide, halves)


@pytest.mark.parametrize(("dim", "stride"), [(1, 16), (16, 16), (17, 32), (100, 112), (300, 304)])
def test_padded_rounds_up_to_whole_registers(dim: int, stride: int) -> None:
    assert padded(dim) == stride


def test_aligned_zeros_start_on_a_cache_line() -> None:
    for rows in range(1, 20):
        array = aligned_zeros(rows, 16)
        assert array.ctypes.data % 64 == 0
        assert array.shape == (rows * 16,)
        assert not array.any()


@kernel()
def run_inverse_root(a, out):
    store(out, 0, inverse_root(load(a, 0)))


def test_inverse_root_is_good_to_single_precision() -> None:
    a = np.geomspace(1e-30, 1e38, LANES, dtype=np.float32)
    out = np.zeros(LANES, np.float32)
    run_inverse_root(a, out)
    np.testing.assert_allclose(out, 1 / np.sqrt(a.astype(np.float64)), rtol=1e-6)


def sum_of_products(a, out):  # type: ignore[no-untyped-def]
    store(out, 0, fma(load(a, 0), load(a, 16), load(a, 32)))


def powers(a, out):  # type: ignore[no-untyped-def]
    store(out, 0, exponential(load(a, 0)))


def sum_of_double_products(a, out):  # type: ignore[no-untyped-def]
    of_a = double_lanes.load(a, 0)
    double_lanes.store(out, 0, double_lanes.multiply_add(of_a, of_a, of_a))


def assembly(function: Callable[..., Any], dtype: type, processor: str, features: str) -> str:
    """Return the code of a kernel for a processor of this architecture."""
    import llvmlite.binding as llvm
    import numba
    from numba.core.compiler_lock import global_compiler_lock

    array = numba.types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C")
    dispatcher = kernel(_nrt=False)(function).compiled
    dispatcher.compile((array, array))
    library = dispatcher.overloads[array, array].library
    with global_compiler_lock:
        library.finalize()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(processor, features, 3)
    module = llvm.parse_assembly(library.get_llvm_str())
    return str(machine.emit_assembly(module))


@pytest.mark.parametrize(
    ("function", "dtype"),
    [(sum_of_products, np.float32), (powers, np.float32), (sum_of_double_products, np.float64)],
)
def test_products_are_added_without_calls_of_the_c_library(
    function: Callable[..., Any], dtype: type
) -> None:
    code = assembly(function, dtype, "generic", "")  # of AMD64: no instruction adds products
    assert len(code) > 100
    assert not re.search(r"\bfmaf?\b", code)


def test_products_are_added_in_one_instruction_where_there_is_one() -> None:
    import llvmlite.binding as llvm

    if not llvm.get_process_triple().startswith("x86_64"):
        pytest.skip("names the instructions of AMD64")
    assert "vfmadd" in assembly(sum_of_products, np.float32, "generic", "+avx2,+fma")
    assert "vmulps" not in assembly(sum_of_products, np.float32, "generic", "+avx2,+fma")
