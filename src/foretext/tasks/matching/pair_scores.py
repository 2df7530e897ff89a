"""Whether pairs that a model learns from have scores."""

from __future__ import annotations

from collections.abc import Sequence

from foretext.data.rows import LabelledPair

__all__ = ["have_scores"]


def have_scores(rows: Sequence[LabelledPair]) -> bool:
    """Whether pairs have scores, not labels."""
    return bool(rows) and rows[0].score is not None
