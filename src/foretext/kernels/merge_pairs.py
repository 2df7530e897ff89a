"""The pairs of neighbouring symbols that were met, in a hash table with open addressing."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.merge_arrays import Pairs

__all__ = ["add_pair", "find_pair", "hash_of", "key_of", "neighbor_key", "place_pairs"]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)


@kernel(kept=True)
def place_pairs(pairs: Pairs) -> None:
    """Fill the empty slots of a table that was given more of them."""
    mask = np.uint64(pairs.slots.size - 1)
    for pair in range(pairs.used[0]):
        mixed = hash_of(pairs.keys[pair])
        slot = mixed & mask
        while pairs.slots[slot] != 0:
            slot = (slot + _ONE) & mask
        pairs.slots[slot] = (mixed & ~_LOW) | np.uint64(pair + 1)


@kernel(_nrt=False)
def find_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, -1 where it was never met."""
    return int(np.int64(pairs.slots[_pair_slot(pairs, key)] & _LOW)) - 1


@kernel(_nrt=False)
def add_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, new or old; there must be room."""
    slot = _pair_slot(pairs, key)
    if pairs.slots[slot] == 0:
        pair = pairs.used[0]
        pairs.slots[slot] = (hash_of(key) & ~_LOW) | np.uint64(pair + 1)
        pairs.keys[pair] = key
        pairs.counts[pair] = 0
        pairs.newest[pair] = -1
        pairs.used[0] += 1
    return int(np.int64(pairs.slots[slot] & _LOW)) - 1


@kernel(_nrt=False, forceinline=True)
def key_of(left: int, right: int) -> int:
    """The number that stands for a pair."""
    return int(np.int64(left) << 32 | np.int64(right))


@kernel(_nrt=False, forceinline=True)
def neighbor_key(side: int, neighbor: int, left: int, right: int) -> int:
    """Key of the pair of `left` and the neighbour before it, or of `right` and the one after."""
    return key_of(neighbor, left) if side == 0 else key_of(right, neighbor)


@kernel(_nrt=False, forceinline=True)
def hash_of(key: int | np.int64) -> np.uint64:
    """Multiply and fold, twice."""
    mixed = np.uint64(key) * _MULTIPLIER
    mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIER
    return mixed ^ (mixed >> _HALF)


@kernel(_nrt=False, forceinline=True)
def _pair_slot(pairs: Pairs, key: int) -> np.uint64:
    """Slot of a pair, or the empty one where it belongs."""
    mixed = hash_of(key)
    mask = np.uint64(pairs.slots.size - 1)
    slot = mixed & mask
    while pairs.slots[slot] != 0:
        pair = np.int64(pairs.slots[slot] & _LOW) - 1
        if (pairs.slots[slot] ^ mixed) >> _HALF == 0 and pairs.keys[pair] == key:
            break
        slot = (slot + _ONE) & mask
    return slot
