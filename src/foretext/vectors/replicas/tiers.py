"""Which rows are merged after which round: the more frequent a word, the more often."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["ROUNDS", "Rows", "parts_due"]

ROUNDS = 32  # of a cycle
# After every n-th round one of so many rows is merged. The counts of words fall about as one over
# their rank, so that a row of each tier is met as often between two meetings.
TIERS = ((32, 1), (16, 2), (4, 8), (1, 32))


def parts_due(round_number: int) -> int:
    """Return of how many rows one is merged after a round, from 0; 1 after the last."""
    return next(parts for period, parts in TIERS if (round_number + 1) % period == 0)


class Rows(NamedTuple):
    """The rows of a weight matrix that processes merge; what follows them is each one's own."""

    meetings: np.ndarray  # (R,) float64, how often each is met in a token of text, about
    stride: int  # floats of a row
    frequent_last: bool = False  # else the most frequent come first

    def due(self, round_number: int, process: int, num_processes: int) -> tuple[int, int]:
        """Return the first and the last row + 1 that a process merges after a round."""
        size = len(self.meetings)
        number = -(-size // parts_due(round_number))
        start, stop = (number * each // num_processes for each in (process, process + 1))
        before = size - number if self.frequent_last else 0
        return before + start, before + stop

    def rounds(self) -> np.ndarray:
        """Return after how many rounds each row is merged again, (R,)."""
        size = len(self.meetings)
        rounds = np.zeros(size, np.int64)
        for period, parts in TIERS:  # the most frequent rows last
            rounds[: -(-size // parts)] = period
        return rounds[::-1] if self.frequent_last else rounds
