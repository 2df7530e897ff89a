"""What the rows of a training looked like, so that a tagger notices inputs of another kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Self

from pydantic import Field

__all__ = ["LearnedRates", "Rate", "rate_doubts"]

FEWEST = 30  # tokens; the rates of fewer say little
MARGIN, TIMES = 0.2, 2.0  # a rate is strange above TIMES what was learned, and MARGIN

Rate = Annotated[float, Field(ge=0, le=1)]


class LearnedRates(NamedTuple):
    """Shares of the tokens of some sentences."""

    tagged: float  # inside entities
    unknown: float  # without an id, or a vector, of their own
    capital: float  # that begin with a capital letter

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], num_tagged: int, num_unknown: int) -> Self:
        """Count the tokens of sentences.

        Args:
            sentences: their tokens.
            num_tagged: of these, those inside entities.
            num_unknown: of these, those that the tagger does not know.
        """
        total = max(sum(map(len, sentences)), 1)
        capital = sum(token[:1].isupper() for sentence in sentences for token in sentence)
        return cls(num_tagged / total, num_unknown / total, capital / total)


def rate_doubts(learned: LearnedRates, now: LearnedRates, num_tokens: int) -> list[str]:
    """Return in which way tokens are unlike those of the training.

    Args:
        learned: rates of the rows of the training.
        now: rates of the inputs; those of `tagged` are their answers.
        num_tokens: of the inputs.
    """
    if num_tokens < FEWEST:
        return []
    doubts = []
    if _is_strange(now.tagged, learned.tagged):
        doubts.append(
            f"{now.tagged:.0%} of the tokens are tagged as entities, and {learned.tagged:.0%} "
            "were in training"
        )
    if _is_strange(now.unknown, learned.unknown):
        doubts.append(
            f"{now.unknown:.0%} of the tokens are unknown, and {learned.unknown:.0%} were in "
            "training"
        )
    if learned.capital > 0.02 and now.capital < learned.capital / 10:
        doubts.append("there are hardly any capital letters, which the rows of the training had")
    if not doubts:
        return []
    return [
        f"{'; '.join(doubts)}: these texts are unlike the rows that the tagger learned from, so do "
        "not trust its answers; give texts of that kind, or train on rows of this kind"
    ]


def _is_strange(rate: float, learned: float) -> bool:
    return rate > MARGIN + TIMES * learned
