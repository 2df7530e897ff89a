"""Which of many keys are equal, however many there are: sorted part by part, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import OutputError
from foretext.base.parsing import read_part

__all__ = ["Groups", "equal_keys"]

MOST_SORTED = 1 << 22  # keys that are in memory together, 24 bytes each
_READ = 1 << 20  # keys


class Groups(NamedTuple):
    """Places of keys of which each is there several times, and the number of its group."""

    places: NDArray[np.int64]  # (E,)
    groups: NDArray[np.int64]  # (E,), from 0 on, in order
    num_groups: int


def equal_keys(path: Path, length: int, most_sorted: int = MOST_SORTED) -> Iterator[Groups]:
    """Yield the groups of equal keys of a file of (length,) uint64, which should be hashes.

    Each pass over the file takes the keys of one range, of about `most_sorted` keys.
    """
    bits = max(-(-length // most_sorted) - 1, 0).bit_length()
    for part in range(1 << bits):
        keys, places = _range_of_keys(path, length, part, bits)
        order = np.argsort(keys)
        yield _groups(keys[order], places[order])


def _range_of_keys(
    path: Path, length: int, part: int, bits: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the keys whose first `bits` bits are `part`, and their places."""
    keys, places = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for first in range(0, length, _READ):
        read = read_part(path, "<u8", first, min(_READ, length - first), OutputError)
        if bits:
            chosen = np.flatnonzero(read >> np.uint64(64 - bits) == part)
            keys.append(read[chosen])
            places.append(chosen + first)
        else:
            keys.append(read)
            places.append(np.arange(first, first + len(read)))
    return np.concatenate(keys), np.concatenate(places)


def _groups(keys: NDArray[np.uint64], places: NDArray[np.int64]) -> Groups:
    """Return the groups of sorted keys."""
    repeats = np.zeros(len(keys) + 1, np.bool_)  # whether a key is the one before it
    repeats[1:-1] = keys[1:] == keys[:-1]
    is_first = ~repeats[:-1] & repeats[1:]
    members = repeats[:-1] | is_first
    groups = np.cumsum(is_first)[members] - 1
    return Groups(places[members], groups, int(is_first.sum()))
