"""Whether a candidate has learned anything: else it is no result, and never recommended.

A candidate that had too little time answers like one that never saw the rows. So its held-out score
has to be above that of the most frequent answer; and where it has not read all rows once, above it
by more than two standard errors, since a few steps move a score by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.comparison.recommendation import standard_error
from foretext.messages import clauses, message
from foretext.report.task_card import figure_name, figure_text

__all__ = ["not_learned"]

ERRORS = 2.0  # standard errors


def not_learned(
    valid: Mapping[str, Any],
    judged_by: str,
    majority: float | None,
    *,
    held_out: int,
    passes: float | None,
) -> str | None:
    """Return why a candidate has not learned, a sentence; None: it has, or nobody knows.

    Args:
        valid: mean, deviation and each of its scores on the held-out rows, one a seed.
        judged_by: the figure of the scores.
        majority: the score of the most frequent answer on the held-out rows; None: there is none.
        held_out: number of these rows.
        passes: how often it read the rows to learn from; None: nobody knows.
    """
    if majority is None:
        return None
    score = float(valid["mean"])
    is_short = passes is not None and passes < 1
    error = standard_error(valid, judged_by, held_out) if is_short else 0.0
    if score > majority + ERRORS * error:
        return None
    said = message(
        "findings.learned.not_above",
        figure=figure_name(judged_by),
        value=figure_text(judged_by, score),
        majority=figure_text(judged_by, majority),
    )
    return clauses(
        [said, *([message("findings.learned.short", passes=passes)] if is_short else [])]
    )
