"""How much of the copies' changes a row takes when it is merged.

A row that is met u times moves towards a point that its neighbours set, each time by a small part e
of the way: what is left of the way is q = exp(-e u). If P copies each go 1 - q of it, then one that
had met all of their words would have gone 1 - q**P. So the row takes (1 - q**P) / (1 - q) times
the mean of the changes: their sum where u is small, as of a rare word, of which each copy has seen
something else; their mean where u is large, as of a frequent word, which every copy has brought to
its point by itself. The sum of all rows would diverge, the mean of all learns rare words P times
too slowly (Ji et al. 2016 raise the learning rate for that reason).
"""

from __future__ import annotations

import numpy as np

__all__ = ["shares_of_changes"]

CURVATURE = 0.4  # share of its way that a row goes in one meeting, for a learning rate of 1
SMALLEST = 1e-6  # such share of a meeting that is computed; below it 1 - q has too few digits


def shares_of_changes(meetings: np.ndarray, rate: float, num_copies: int) -> np.ndarray:
    """Return by what the sum of the changes is multiplied, from 1 / P to 1, (R,) float32.

    Args:
        meetings: (R,) how often each copy has met each row since it was merged, about.
        rate: of learning.
        num_copies: P.
    """
    left = np.exp(-np.maximum(CURVATURE * rate * meetings, SMALLEST))
    shares: np.ndarray = (1 - left**num_copies) / (num_copies * (1 - left))
    return shares.astype(np.float32)
