"""Weights of several processes of a machine, which all of them see."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foretext.vectors.replicas.shared_arrays import Arrays, SharedArrays

__all__ = ["SharedWeights"]


class SharedWeights:
    """A copy of all weights for each process, and two more.

    Args:
        weights: arrays of float32 with the sizes of a copy, by name.
        num_copies: one for each process.
        descriptor: of memory that another process has made; None: it is made here.

    Attributes:
        copies: (num_copies * size,) by name, rows that each process has learned and others merge.
        averaged: (size,) by name, what all copies began the cycle with.
        merged: (size,) by name, what they are now, as far as they were merged.
    """

    def __init__(
        self, weights: Mapping[str, np.ndarray], num_copies: int, descriptor: int | None = None
    ) -> None:
        self.sizes = {name: int(array.size) for name, array in weights.items()}
        self.num_copies = num_copies
        lengths = {"copies": num_copies, "averaged": 1, "merged": 1}
        self._shared = SharedArrays(
            {
                f"{kind} {name}": ("f4", number * size)
                for kind, number in lengths.items()
                for name, size in self.sizes.items()
            },
            descriptor,
        )
        self.copies, self.averaged, self.merged = (self._of(kind) for kind in lengths)

    @property
    def descriptor(self) -> int:
        """Of the memory."""
        return self._shared.descriptor

    def copy(self, number: int) -> Arrays:
        """Return the arrays (size,) that one process learns in."""
        return {
            name: self.copies[name][number * size : (number + 1) * size]
            for name, size in self.sizes.items()
        }

    def close(self) -> None:
        """Let go of the descriptor; the memory stays as long as an array of it is used."""
        self._shared.close()

    def _of(self, kind: str) -> Arrays:
        return {name: self._shared.arrays[f"{kind} {name}"] for name in self.sizes}
