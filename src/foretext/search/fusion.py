"""Several rankings as one: reciprocal rank fusion.

Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods": a result has the sum of 1 / (60 + rank) over the rankings that have it. Scores of
different kinds, which have no common unit, need not be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

__all__ = ["fused"]

CONSTANT = 60  # of the paper


def fused(rankings: Iterable[Sequence[int]]) -> list[tuple[int, float]]:
    """Return each row of some rankings (best first) with its sum, the highest first.

    Of rows with equal sums the one that stands first in the first ranking comes first.
    """
    sums: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, row in enumerate(ranking, 1):
            sums[row] += 1 / (CONSTANT + rank)
    return sorted(sums.items(), key=lambda item: -item[1])
