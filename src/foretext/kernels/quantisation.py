"""The nearest of 256 centroids, for product quantisation (Jégou et al. 2011)."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["CENTROIDS", "nearest_centroids"]

CENTROIDS = 256  # a code is a byte

_HIGH = np.int32(-CENTROIDS)  # all bits of a distance but the last eight, where the code goes
_LARGEST = np.int32(2**31 - 1)


@kernel(_nrt=False, fastmath=True)
def nearest_centroids(points, centroids, squares, distances, bits, codes):
    """codes[i] = the centroid nearest to points[i], but for distances equal to 15 bits.

    points: (N, S) float32; centroids: (S * 256,) float32, coordinate by coordinate; squares: (256,)
    float32, their squared lengths; distances: (256,) float32, scratch, and bits the same memory as
    int32; codes: (N,) uint8. Floats that are not negative have the order of their bits: with a code
    in the place of the last ones, one minimum over integers finds the distance and the centroid.
    """
    for point in range(points.shape[0]):
        square = np.float32(0.0)
        for j in range(points.shape[1]):
            square += points[point, j] * points[point, j]
        for k in range(CENTROIDS):
            distances[k] = squares[k] + square
        for j in range(points.shape[1]):
            twice = np.float32(2.0) * points[point, j]
            for k in range(CENTROIDS):
                distances[k] -= twice * centroids[j * CENTROIDS + k]
        least = _LARGEST
        for k in range(CENTROIDS):
            least = min(least, (bits[k] & _HIGH) | np.int32(k))
        codes[point] = least & (CENTROIDS - 1)
