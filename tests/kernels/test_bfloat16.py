"""Bfloat16 bits are read exactly and written to nearest, even; float32 goes through unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from foretext.kernels.bfloat16 import (
    from_bits,
    load_lanes,
    load_one,
    store_lanes,
    store_one,
    to_bits,
)
from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES


@kernel()
def copy_lanes(source, target):
    store_lanes(target, 0, load_lanes(source, 0))


@kernel()
def copy_ones(source, target):
    for i in range(source.size):
        store_one(target, i, load_one(source, i))


def twin(values: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 of each float32, found by measuring both neighbours."""
    low = values.view(np.uint32) >> 16
    below, above = from_bits(low.astype(np.uint16)), from_bits((low + 1).astype(np.uint16))
    to_below, to_above = abs(values.astype(float) - below), abs(above.astype(float) - values)
    up = (to_above < to_below) | ((to_above == to_below) & (low % 2 == 1))
    return (low + up).astype(np.uint16)


@pytest.mark.parametrize("copy", [copy_lanes, copy_ones])
@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=LANES, max_size=LANES))
def test_rounding_is_to_the_nearest_and_even(copy, values) -> None:
    floats = np.array(values, np.float32)
    bits = np.empty(LANES, np.uint16)
    copy(floats, bits)
    np.testing.assert_array_equal(bits, twin(floats))
    np.testing.assert_array_equal(bits, to_bits(floats))


@pytest.mark.parametrize("copy", [copy_lanes, copy_ones])
def test_reading_is_exact(copy) -> None:
    bits = np.random.default_rng(0).integers(0, 0x7F80, LANES).astype(np.uint16)
    floats = np.empty(LANES, np.float32)
    copy(bits, floats)
    np.testing.assert_array_equal(floats, from_bits(bits))
    again = np.empty(LANES, np.float32)
    copy(floats, again)
    np.testing.assert_array_equal(again, floats)


def test_not_a_number_and_infinity_stay_what_they_are() -> None:
    floats = np.array([np.nan, np.inf, -np.inf] + [0.0] * 13, np.float32)
    bits = np.empty(LANES, np.uint16)
    copy_lanes(floats, bits)
    np.testing.assert_array_equal(from_bits(bits), floats)


def test_other_numbers_are_refused_when_the_kernel_is_compiled() -> None:
    with pytest.raises(TypingError, match="float32 or of bfloat16 bits is needed"):
        copy_lanes(np.zeros(LANES), np.zeros(LANES))
