"""Rows of many lengths cut into batches that waste little on padding, and are not too many."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["length_batches"]

# What a batch costs beside its positions, as a share of a full one's: with 6 layers of 384 in one
# thread as much as 50 positions, and twice that where its shape is new to oneDNN.
FIXED_RATE = 1 / 10


def length_batches(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut rows, the longest first, into batches; return the indices of the rows of each.

    A batch is as wide as its longest row. Of all ways to cut the sorted rows the one is taken whose
    batches cost least together: positions with padding, and `FIXED_RATE` of a full batch for each.
    So few rows of different lengths make several batches, and many rows full ones.

    Args:
        lengths: of the rows.
        batch_tokens: positions of a batch, at most; a longer row is alone.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    stops = _stops([max(lengths[row], 1) for row in order], batch_tokens)
    batches, start = [], 0
    while start < len(order):
        batches.append(order[start : stops[start]])
        start = stops[start]
    return batches


def _stops(widths: Sequence[int], batch_tokens: int) -> list[int]:
    """Return where the batch that begins with each row ends; from the last row on backwards."""
    num, fixed = len(widths), int(batch_tokens * FIXED_RATE)
    costs, stops = [0] * (num + 1), [num] * num  # costs: of all rows from one on
    shorter = [num] * num  # the next row that is shorter: in between no batch but a full one ends
    for start in range(num - 1, -1, -1):
        width = widths[start]
        if start + 1 < num:
            shorter[start] = start + 1 if widths[start + 1] < width else shorter[start + 1]
        full = min(num, start + max(1, batch_tokens // width))
        stop, least = full, (full - start) * width + costs[full]
        place = shorter[start]
        while place < full:
            cost = (place - start) * width + costs[place]
            if cost < least:
                stop, least = place, cost
            place = shorter[place]
        stops[start], costs[start] = stop, least + fixed
    return stops
