"""The draws of kernels, many at once in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["random64"]


def random64(counter: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return what `foretext.kernels.draws.random64` gives for each counter, of any shape."""
    mixed = counter * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
