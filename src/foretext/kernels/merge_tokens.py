"""What the tokens are that merges make, each known by its characters."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.merge_arrays import LearnedTokens
from foretext.kernels.merge_pairs import hash_of

__all__ = ["joined_token", "place_token"]


@kernel(_nrt=False)
def joined_token(tokens: LearnedTokens, left: int, right: int, prefix: np.ndarray) -> int:
    """Token `left` + `right`, without the prefix of `right`; it may exist already.

    -1: its characters have no room.
    """
    points, offsets = tokens.points, tokens.offsets
    first, stop = offsets[right], offsets[right + 1]
    size = prefix.size
    if stop - first >= size and _are_equal(points, first, prefix, 0, size):
        first += size
    token = tokens.used[0]
    at = offsets[token]
    if at + offsets[left + 1] - offsets[left] + stop - first > points.size:
        return -1
    for place in range(offsets[left], offsets[left + 1]):
        points[at] = points[place]
        at += 1
    for place in range(first, stop):
        points[at] = points[place]
        at += 1
    offsets[token + 1] = at
    tokens.lengths[token] = tokens.lengths[left] + tokens.lengths[right]
    known = place_token(tokens, token)
    if known == token:
        tokens.used[0] += 1
    return known


@kernel(_nrt=False)
def place_token(tokens: LearnedTokens, token: int) -> int:
    """Token with the same characters, `token` itself where it is new; then it is entered."""
    points, offsets = tokens.points, tokens.offsets
    first, stop = offsets[token], offsets[token + 1]
    mixed = np.uint64(stop - first)
    for at in range(first, stop):
        mixed = hash_of(np.int64(mixed ^ np.uint64(points[at])))
    mask = tokens.slots.size - 1
    slot = np.int64(mixed >> np.uint64(33)) & mask
    while tokens.slots[slot] != 0:
        known = tokens.slots[slot] - 1
        start, length = offsets[known], offsets[known + 1] - offsets[known]
        if length == stop - first and _are_equal(points, start, points, first, length):
            return known  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    tokens.slots[slot] = token + 1
    return token


@kernel(_nrt=False)
def _are_equal(some: np.ndarray, start: int, others: np.ndarray, first: int, length: int) -> bool:
    for place in range(length):  # noqa: SIM110 - numba compiles no generator
        if some[start + place] != others[first + place]:
            return False
    return True
