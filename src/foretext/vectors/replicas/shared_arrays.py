"""Arrays in memory that several processes of a machine see.

The memory has no name, so that it is gone with the last process, however that one ends.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Mapping

import numpy as np

__all__ = ["Arrays", "SharedArrays"]

LINE = 64  # bytes; each array starts on a line of the cache

Arrays = dict[str, np.ndarray]


class SharedArrays:
    """Flat arrays of zeros, until somebody writes to them.

    Args:
        sizes: type and length of each array, by name.
        descriptor: of memory that another process has made for the same sizes; None: it is made.
    """

    def __init__(self, sizes: Mapping[str, tuple[str, int]], descriptor: int | None = None) -> None:
        starts, end = {}, 0
        for name, (dtype, length) in sizes.items():
            starts[name] = end
            end += -(-np.dtype(dtype).itemsize * length // LINE) * LINE
        self.descriptor = _made(max(end, LINE)) if descriptor is None else descriptor
        memory = mmap.mmap(self.descriptor, max(end, LINE))
        self.arrays: Arrays = {
            name: np.frombuffer(memory, dtype, length, starts[name])
            for name, (dtype, length) in sizes.items()
        }

    def close(self) -> None:
        """Let go of the descriptor; the memory stays as long as an array of it is used."""
        os.close(self.descriptor)


def _made(num_bytes: int) -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("foretext")
    else:  # a file without a name
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, num_bytes)
    return descriptor
