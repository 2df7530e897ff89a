"""Input rows of a classifier in memory: numbers as they are, or the codes of a small file."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.simd import aligned_zeros, padded

__all__ = ["DenseRows", "Rows", "are_weights"]

_LARGEST = 1e9  # what is larger was never learned, and sums of it are no numbers


def are_weights(numbers: NDArray[np.float32]) -> bool:
    """Whether what a file holds can have been learned: no NaN, no infinity, nothing near it."""
    with np.errstate(invalid="ignore"):
        return bool(-_LARGEST < numbers.min(initial=0) <= numbers.max(initial=0) < _LARGEST)


class Rows(Protocol):
    """R rows of D numbers."""

    dim: int

    def __len__(self) -> int: ...

    def gather(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return rows, flat and padded to whole registers, and `numbers` (E,) counted in them.

        A number of -1, which is no row, stays.
        """

    def take(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return rows (K, D)."""


class DenseRows:
    """float32, padded with zeros to whole registers.

    Args:
        flat: (R * stride,) float32, as `aligned_zeros` gives it.
        dim: D.
    """

    def __init__(self, flat: NDArray[np.float32], dim: int) -> None:
        self.flat = flat
        self.dim = dim

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> DenseRows:
        """Copy rows (R, D)."""
        dense = cls(aligned_zeros(len(rows), padded(rows.shape[1])), rows.shape[1])
        dense.array[...] = rows
        return dense

    def __len__(self) -> int:
        return len(self.flat) // padded(self.dim)

    @property
    def array(self) -> NDArray[np.float32]:
        """(R, D), a view."""
        return self.flat.reshape(-1, padded(self.dim))[:, : self.dim]

    def gather(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return all rows, and the numbers as they are."""
        return self.flat, numbers

    def take(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return rows (K, D)."""
        taken: NDArray[np.float32] = self.array[numbers]
        return taken
