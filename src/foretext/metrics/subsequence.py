"""The longest common subsequence of two texts, a machine word of places at a time.

After Hyyrö 2004, "Bit-parallel LCS-length computation revisited": a row of the table is one number,
whose zeros are the places where the length grows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

__all__ = ["longest_common_subsequence"]


def longest_common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return how many items both have in the same order, with others between them or not."""
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(second):
        places[item] |= 1 << place
    whole = (1 << len(second)) - 1
    row = whole
    for item in first:
        matches = row & places.get(item, 0)
        row = ((row + matches) | (row - matches)) & whole
    return len(second) - row.bit_count()
