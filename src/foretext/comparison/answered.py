"""The answers of a candidate's models, one a seed."""

from __future__ import annotations

from typing import NamedTuple

from foretext.comparison.answers import KeptAnswers
from foretext.comparison.worker import AnswerReply

__all__ = ["Answered"]


class Answered(NamedTuple):
    """What one model of a candidate answered to the rows that figures are of."""

    reply: AnswerReply
    kept: KeptAnswers
