"""How fast each ability computes, as measured while it serves."""

from __future__ import annotations

import math
from collections.abc import Hashable

__all__ = ["Pace"]

FIRST_RATE = 20_000.0  # tokens a second, before anything was measured
MEMORY = 2.0  # seconds of computing in which a measurement comes to count a third
FEWEST_TOKENS = 256  # of a full batch: smaller ones waste most of their time


class Pace:
    """Tokens a second of each ability, over the latest seconds of its computing.

    A first batch that is slow, or a moment in which the machine does something else, must not look
    like a slow model: clients would be refused by a server that has nothing to do. So the first
    rate counts as if it had been measured.
    """

    def __init__(self) -> None:
        self._measured: dict[Hashable, tuple[float, float]] = {}  # tokens, seconds

    def observe(self, ability: Hashable, tokens: int, seconds: float) -> None:
        """Note that a batch took some time."""
        before, kept = self._totals(ability), math.exp(-seconds / MEMORY)
        self._measured[ability] = before[0] * kept + tokens, before[1] * kept + seconds

    def rate(self, ability: Hashable) -> float:
        """Return the tokens a second."""
        tokens, seconds = self._totals(ability)
        return tokens / seconds

    def room(self, ability: Hashable, seconds: float, most: int) -> int:
        """Return how many tokens take about so many seconds, at most `most`."""
        return min(max(int(self.rate(ability) * seconds), FEWEST_TOKENS), most)

    def _totals(self, ability: Hashable) -> tuple[float, float]:
        """Return tokens and seconds, the latest ones in full."""
        return self._measured.get(ability, (FIRST_RATE * MEMORY, MEMORY))
