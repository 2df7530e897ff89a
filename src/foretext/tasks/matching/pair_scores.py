"""Scores of pairs that a matcher learns from: whether rows have them, and their range."""

from __future__ import annotations

from collections.abc import Sequence

from foretext.data.rows import LabelledPair
from foretext.errors import CorpusError
from foretext.tasks.score_answers import scores_of

__all__ = ["have_scores", "score_range"]


def have_scores(rows: Sequence[LabelledPair]) -> bool:
    """Whether pairs have scores, not labels."""
    return bool(rows) and rows[0].score is not None


def score_range(rows: Sequence[LabelledPair]) -> dict[str, float]:
    """Return the lowest and the highest score.

    Raises:
        CorpusError: a row has none, or all are equal.
    """
    scores = scores_of(rows)
    if min(scores) == max(scores):
        raise CorpusError(
            f"All rows to learn from have the score {scores[0]:g}; two different scores are needed."
        )
    return {"lowest": min(scores), "highest": max(scores)}
