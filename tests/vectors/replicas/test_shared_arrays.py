"""Memory that two places see, each by the descriptor alone."""

from __future__ import annotations

import os

import numpy as np
import pytest

from foretext.vectors.replicas.shared_arrays import LINE, SharedArrays
from foretext.vectors.replicas.shared_weights import SharedWeights

SIZES = {"first": ("f4", 5), "empty": ("i8", 0), "last": ("i8", 3)}


def test_what_one_writes_the_other_reads() -> None:
    shared = SharedArrays(SIZES)
    other = SharedArrays(SIZES, os.dup(shared.descriptor))
    for name, (dtype, length) in SIZES.items():
        assert (shared.arrays[name].dtype, shared.arrays[name].shape) == (dtype, (length,))
        assert not shared.arrays[name].any()
        assert shared.arrays[name].ctypes.data % LINE == 0 or length == 0
    shared.arrays["first"][:] = 2
    other.arrays["last"][1] = 7
    assert shared.arrays["last"].tolist() == [0, 7, 0]
    assert other.arrays["first"].tolist() == [2] * 5
    other.close()
    shared.close()
    assert shared.arrays["first"].sum() == 10  # the memory outlives its descriptor


def test_copies_lie_one_after_another() -> None:
    weights = SharedWeights({"a": np.zeros(32, "f4"), "b": np.zeros(16, "f4")}, 3)
    for number in range(3):
        for name, array in weights.copy(number).items():
            array[:] = number + (10 if name == "b" else 0)
    assert weights.copies["a"].tolist() == [0] * 32 + [1] * 32 + [2] * 32
    assert weights.copies["b"].tolist() == [10] * 16 + [11] * 16 + [12] * 16
    assert not any(array.any() for array in (*weights.averaged.values(), *weights.merged.values()))
    descriptor = weights.descriptor
    weights.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
