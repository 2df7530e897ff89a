"""Rows of an array as examples: images, word vectors, or anything else that is made of numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples

__all__ = ["ArrayExamples", "Corruption"]

Values = NDArray[np.float32]
Corruption = Callable[[Values, np.random.Generator], Values]


class ArrayExamples(Examples):
    """Each row of an array (N, ...), to be seen corrupted or as it is, with itself as the target.

    The batch's `ids` (B, 1) are the numbers of the rows, its `values` (B, ...) what is seen of
    them; the target "clean" (B, ...) is what they are.
    """

    def __init__(self, array: Values, corrupt: Corruption | None = None) -> None:
        self.array = array
        self.corrupt = corrupt

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the numbers of the rows, (N,), shuffled."""
        return rng.permutation(len(self.array))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one size."""
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Take some rows and corrupt them; each call corrupts differently."""
        clean = self.array[keys]  # (B, ...)
        seen = clean if self.corrupt is None else self.corrupt(clean, rng)
        inputs = Inputs(torch.from_numpy(keys[:, None]), values=torch.from_numpy(seen))
        return Batch(inputs, {"clean": torch.from_numpy(clean)})
