"""Elementary functions of sixteen lanes agree with numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.kernels.compile import kernel
from foretext.kernels.elementary import by_sign, exponential, lane_max, lane_sum, maximum
from foretext.kernels.simd import LANES, load, store


@kernel()
def run_exponential(a, out):
    for i in range(0, a.size, LANES):
        store(out, i, exponential(load(a, i)))


@kernel()
def run_reductions(a, out):
    x, y = load(a, 0), load(a, LANES)
    store(out, 0, maximum(x, y))
    out[LANES] = lane_max(x)
    out[LANES + 1] = lane_sum(x)
    store(out, 2 * LANES, by_sign(x, y, x))


def test_exponential_is_right_to_two_units_in_the_last_place() -> None:
    a = np.linspace(-87, 88, 160_000, dtype=np.float32)
    out = np.empty_like(a)
    run_exponential(a, out)
    np.testing.assert_allclose(out, np.exp(a.astype(np.float64)), rtol=2.5e-7)


def test_exponential_of_what_no_float_holds() -> None:
    a = np.array([-np.inf, -1000, np.nan, 0] * 4, np.float32)
    out = np.empty_like(a)
    run_exponential(a, out)
    assert (out[:2] == 0).all()
    assert np.isnan(out[2])
    assert out[3] == 1


def test_reductions() -> None:
    a = np.random.default_rng(0).standard_normal(2 * LANES).astype(np.float32)
    out = np.empty(3 * LANES, np.float32)
    run_reductions(a, out)
    np.testing.assert_array_equal(out[:LANES], np.maximum(a[:LANES], a[LANES:]))
    np.testing.assert_array_equal(out[2 * LANES :], np.where(a[:LANES] > 0, a[LANES:], a[:LANES]))
    assert out[LANES] == a[:LANES].max()
    assert out[LANES + 1] == pytest.approx(a[:LANES].sum(), rel=1e-6)
