"""The descent of t-SNE (van der Maaten and Hinton 2008, section 3), exactly, all points at once.

N points in the plane, in columns of whole registers; what fills the last one stands far away, where
it neither pulls nor pushes.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.simd import LANES, fma, load, splat, store, transposed_sum, zeros

__all__ = ["FAR", "descend"]

FAR = np.float32(1e12)  # a coordinate: affinities to all others vanish
LEAST_GAIN = np.float32(0.01)


@kernel(_nrt=False)
def forces(shares, xs, ys, i, width, sums):
    """Write what point i is pulled and pushed by, and the sum of its affinities: five numbers."""
    one = splat(np.float32(1.0))
    x, y = splat(xs[i]), splat(ys[i])
    pull_x = pull_y = push_x = push_y = total = zeros()
    for j in range(0, width, LANES):
        dx = x - load(xs, j)
        dy = y - load(ys, j)
        near = one / fma(dx, dx, fma(dy, dy, one))
        pull = load(shares, i * width + j) * near
        push = near * near
        pull_x = fma(pull, dx, pull_x)
        pull_y = fma(pull, dy, pull_y)
        push_x = fma(push, dx, push_x)
        push_y = fma(push, dy, push_y)
        total = total + near
    store(sums, i * LANES, transposed_sum((pull_x, pull_y, push_x, push_y, total)))


@kernel(_nrt=False, inline="always")
def moved_by(gradient, at, moved, gains, rate, momentum):
    """Change the gain of one coordinate and its last move (Jacobs 1988), and return that."""
    if (gradient > 0) != (moved[at] > 0):
        gains[at] += np.float32(0.2)
    else:
        gains[at] = max(gains[at] * np.float32(0.8), LEAST_GAIN)
    moved[at] = momentum * moved[at] - rate * gains[at] * gradient
    return moved[at]


@kernel(kept=True)
def descend(shares, xs, ys, moved, gains, sums, count, steps, rate, momentum):
    """Take some steps of gradient descent on the Kullback-Leibler divergence.

    shares: (N * W,) how near points are to be, 0 in what fills a row up; xs, ys: (W,) positions;
    moved, gains: (2 * W,) the last move of each coordinate and its gain; sums: (N * 16,) scratch.
    """
    width = xs.size
    for _ in range(steps):
        total = np.float32(0.0)
        for i in range(count):
            forces(shares, xs, ys, i, width, sums)
            total += sums[i * LANES + 4] - np.float32(1.0)  # a point is no neighbour of itself
        scale = np.float32(1.0) / total
        for i in range(count):
            at = i * LANES
            of_x = np.float32(4.0) * (sums[at] - sums[at + 2] * scale)
            of_y = np.float32(4.0) * (sums[at + 1] - sums[at + 3] * scale)
            xs[i] += moved_by(of_x, i, moved, gains, rate, momentum)
            ys[i] += moved_by(of_y, width + i, moved, gains, rate, momentum)
