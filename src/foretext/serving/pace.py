"""How fast each ability computes, as measured while it serves."""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["Pace"]

FIRST_RATE = 20_000.0  # tokens a second, before anything was measured
KEPT = 0.8  # how much the batches before count beside a new one
FEWEST_TOKENS = 256  # of a full batch: smaller ones waste most of their time


class Pace:
    """Tokens a second of each ability; the latest batches count most, and large ones more."""

    def __init__(self) -> None:
        self._measured: dict[Hashable, tuple[float, float]] = {}  # tokens, seconds

    def observe(self, ability: Hashable, tokens: int, seconds: float) -> None:
        """Note that a batch took some time."""
        before = self._measured.get(ability, (0.0, 0.0))
        self._measured[ability] = before[0] * KEPT + tokens, before[1] * KEPT + seconds

    def rate(self, ability: Hashable) -> float:
        """Return the tokens a second."""
        tokens, seconds = self._measured.get(ability, (0.0, 0.0))
        return tokens / seconds if seconds > 0 else FIRST_RATE

    def room(self, ability: Hashable, seconds: float, most: int) -> int:
        """Return how many tokens take about so many seconds, at most `most`."""
        return min(max(int(self.rate(ability) * seconds), FEWEST_TOKENS), most)
