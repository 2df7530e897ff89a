from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.doubles import (
    keep_larger,
    load,
    multiply_add,
    splat,
    store,
    store_index,
)


@kernel(_nrt=False)
def _arithmetic(a, b, out):
    store(out, 0, load(a, 1) + load(b, 0))
    store(out, 8, load(a, 1) * load(b, 0))
    store(out, 16, multiply_add(load(a, 1), load(b, 0), splat(0.5)))


@kernel(_nrt=False)
def _largest(rows, count, best, places):
    largest, place = load(rows, 0), splat(0.0)
    for i in range(1, count):
        largest, place = keep_larger(largest, place, load(rows, 8 * i), splat(np.float64(i)))
    store(best, 0, largest)
    store_index(places, 0, place)


def test_lanes_compute_as_numpy_does() -> None:
    random = np.random.default_rng(0)
    a, b, out = random.normal(size=9), random.normal(size=8), np.zeros(24)
    _arithmetic(a, b, out)
    np.testing.assert_allclose(out[:8], a[1:] + b)
    np.testing.assert_allclose(out[8:16], a[1:] * b)
    np.testing.assert_allclose(out[16:], a[1:] * b + 0.5)


def test_the_larger_is_kept_with_its_place() -> None:
    rows = np.random.default_rng(1).integers(0, 3, (6, 8)).astype(np.float64)  # many are equal
    best, places = np.zeros(8), np.zeros(8, np.int16)
    _largest(rows.reshape(-1), 6, best, places)
    assert (best == rows.max(axis=0)).all()
    assert (places == rows.argmax(axis=0)).all()
