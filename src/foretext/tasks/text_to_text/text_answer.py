"""What a text became, and what is known of it."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["TextAnswer"]


class TextAnswer(NamedTuple):
    """An output, and how probable the right one is where it is known."""

    text: str
    score: float | None = None  # log-probability, normalised by length; None: nothing is known
    ended: bool = True  # False: it was stopped at the most tokens that an output may have
    loss: float | None = None  # -log P(reference | source), summed over its tokens; None: not known
    num_tokens: int = 0  # of the reference, with its end

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        score = None if self.score is None else round(self.score, 6)
        return {"text": self.text, "score": score, "ended": self.ended}
