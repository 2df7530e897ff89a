"""Rows of many lengths cut into batches of equal numbers of tokens, where padding is no work."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["token_batches"]

WIDEST = 4  # times as long as the shortest row of a batch: attention has padding even there


def token_batches(
    lengths: Sequence[int], batch_tokens: int, num_threads: int = 1
) -> list[list[int]]:
    """Cut rows, the longest first, into batches; return the indices of the rows of each.

    Batches have about as many tokens each, so they take about as long. Where each thread has
    several, all threads have as many: none waits for others at the end. But rows that are less than
    a quarter as long as the first one of a batch begin another one.

    Args:
        lengths: of the rows.
        batch_tokens: of a batch, at most about.
        num_threads: that compute a batch each at the same time.
    """
    sizes = [max(length, 1) for length in lengths]
    total = sum(sizes)
    num = -(-total // batch_tokens)
    if num > num_threads:
        num = -(-num // num_threads) * num_threads
    batches, last, before = list[list[int]](), -1, 0
    for row in sorted(range(len(sizes)), key=lambda row: -sizes[row]):
        place = int((before + sizes[row] / 2) * num / total)
        if place != last or sizes[batches[-1][0]] > WIDEST * sizes[row]:
            batches.append([])
            last = place
        batches[-1].append(row)
        before += sizes[row]
    return batches
