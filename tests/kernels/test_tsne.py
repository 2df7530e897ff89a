from __future__ import annotations

import numpy as np

from foretext.kernels.simd import LANES, padded
from foretext.kernels.tsne import FAR, descend


def test_steps_are_those_of_numpy() -> None:
    """The gradient of section 3.2, momentum and gains; 20 points do not fill their registers."""
    count, steps, rate, momentum = 20, 3, 5.0, 0.5
    rng = np.random.default_rng(0)
    places = rng.normal(size=(count, 2))
    shares = rng.random((count, count))
    np.fill_diagonal(shares, 0)
    shares = (shares + shares.T) / (shares + shares.T).sum()

    width = padded(count)
    given = np.zeros((count, width), np.float32)
    given[:, :count] = shares
    xs, ys = np.full(width, FAR, np.float32), np.full(width, FAR, np.float32)
    xs[:count], ys[:count] = places.T
    moved, gains = np.zeros(2 * width, np.float32), np.ones(2 * width, np.float32)
    sums = np.zeros(count * LANES, np.float32)
    descend(
        given.ravel(), xs, ys, moved, gains, sums, count, steps,
        np.float32(rate), np.float32(momentum),
    )  # fmt: skip

    last, gain = np.zeros_like(places), np.ones_like(places)
    for _ in range(steps):
        apart = places[:, None] - places[None]  # (N, N, 2)
        near = 1 / (1 + np.square(apart).sum(axis=2))
        np.fill_diagonal(near, 0)
        gradient = 4 * (((shares - near / near.sum()) * near)[:, :, None] * apart).sum(axis=1)
        gain = np.where((gradient > 0) != (last > 0), gain + 0.2, np.maximum(gain * 0.8, 0.01))
        last = momentum * last - rate * gain * gradient
        places = places + last
    np.testing.assert_allclose(np.stack([xs[:count], ys[:count]], 1), places, rtol=1e-4, atol=1e-4)
    assert (xs[count:] == FAR).all()
