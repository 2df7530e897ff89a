"""What `foretext.kernels.sketches` computes, in plain numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.sketches import NO_HASH

BASE = 0x9E3779B97F4A7C15


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def sketch(words: NDArray[np.uint64], shingle: int, size: int) -> NDArray[np.uint64]:
    """Return the least different hashes of the shingles of a document, (size,)."""
    shingles = np.lib.stride_tricks.sliding_window_view(words, shingle)
    powers = np.array([pow(BASE, n, 1 << 64) for n in range(shingle)][::-1], np.uint64)
    least = np.unique(mixed((shingles * powers).sum(1, dtype=np.uint64)))[:size]
    return np.append(least, np.full(size - len(least), NO_HASH))
