"""Sorted names of features in few bytes: how much of the name before each shares, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["FeatureNames"]

_MOST_SHARED = 127  # characters, which have at most 254 units


class FeatureNames(NamedTuple):
    """What ``static/engine/feature_names.js`` makes the names of."""

    shared: NDArray[np.uint8]  # (F,) UTF-16 units that a name shares with the one before it
    rests: list[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """Return these of F names, which should be sorted, so that neighbours share much."""
        shared, rests, last = list[int](), list[str](), ""
        for name in names:
            size = _common(last, name)
            shared.append(len(name[:size].encode("utf-16-le", "surrogatepass")) // 2)
            rests.append(name[size:])
            last = name
        return cls(np.array(shared, np.uint8), rests)


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common, up to `_MOST_SHARED`."""
    size = 0
    for a, b in zip(one[:_MOST_SHARED], other, strict=False):
        if a != b:
            break
        size += 1
    return size
