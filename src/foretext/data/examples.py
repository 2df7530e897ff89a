"""What can be learned from, example by example, in an order that a seed decides."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from foretext.data.batch import Batch

__all__ = ["Examples"]


class Examples(Protocol):
    """Examples known by keys, so that a step needs its number alone to find its batch."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Keys of one walk over all examples, (N,) int64, in an order drawn from `rng`."""

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Tokens of each example, (N,); None where all have as many."""

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Put some examples together; `rng` makes the random choices."""
