"""What the rows of a training looked like, so that a tagger notices inputs of another kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Self

from pydantic import Field

from foretext.messages import clauses, message

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
        doubts.append(message("terminal.doubt.tagged", now=now.tagged, learned=learned.tagged))
    if _is_strange(now.unknown, learned.unknown):
        doubts.append(
            message("terminal.doubt.unknown_tokens", now=now.unknown, learned=learned.unknown)
        )
    if learned.capital > 0.02 and now.capital < learned.capital / 10:
        doubts.append(message("terminal.doubt.capital"))
    if not doubts:
        return []
    return [message("terminal.doubt.unlike", doubts=clauses(doubts))]


def _is_strange(rate: float, learned: float) -> bool:
    return rate > MARGIN + TIMES * learned
