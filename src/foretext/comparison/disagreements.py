"""Rows that some candidates answer right and others wrong, where a person may look first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.comparison.answers import KeptAnswers
from foretext.metrics.sum_figures import row_scores
from foretext.tasks.shown_row import ShownRow

__all__ = ["agreement", "disagreements"]

MOST_ROWS = 12
DECIMALS = 6  # of variances that count as equal

Numbers = NDArray[np.float64]


def agreement(answers: Mapping[str, KeptAnswers]) -> dict[str, int] | None:
    """Return how many rows all candidates have right, all wrong, and some of them right.

    An answer is right where nothing of it is wrong: all entities of a sentence, or all of a span.
    None of fewer than two candidates, and of figures that are no shares, such as BLEU, by which a
    text is better or worse and not simply right.
    """
    scores = _scores(answers)
    if scores is None or scores.min() < 0 or scores.max() > 1:
        return None
    right = (scores == 1).sum(axis=0)  # candidates that have a row right, (N,)
    everybody = len(scores)
    counts = {"all": right == everybody, "none": right == 0, "some": (right % everybody) > 0}
    return {name: int(rows.sum()) for name, rows in counts.items()}


def disagreements(
    answers: Mapping[str, KeptAnswers], most: int = MOST_ROWS
) -> list[dict[str, Any]]:
    """Return text, right answer and every candidate's answer of rows where these differ most.

    Args:
        answers: of candidates to the same rows, by name, the best candidate first.
        most: rows that are returned; of those that candidates differ equally on, one of each right
            answer comes before another of the same one.
    """
    scores = _scores(answers)
    rows = [own.shown for own in answers.values()]
    if scores is None or not all(rows):
        return []
    first = rows[0]
    variances = scores.var(axis=0).round(DECIMALS)  # (N,)
    variances[[not _shows(place, rows) for place in range(len(first))]] = 0
    differing = np.flatnonzero(variances > 0)
    found = differing[np.argsort(-variances[differing], kind="stable")]
    seen: Counter[tuple[float, str]] = Counter()
    order: list[tuple[float, int, int]] = []
    for place in found.tolist():
        key = (float(variances[place]), first[place].right)
        order.append((-key[0], seen[key], place))
        seen[key] += 1
    return [
        {
            "text": first[place].text,
            "right": first[place].right,
            "answers": {name: own.shown[place].given for name, own in answers.items()},
        }
        for _, _, place in sorted(order)[:most]
    ]


def _shows(place: int, rows: Sequence[Sequence[ShownRow]]) -> bool:
    """Whether a person sees a difference between the answers to a row, which may be cut."""
    return len({own[place].given for own in rows}) > 1


def _scores(answers: Mapping[str, KeptAnswers]) -> Numbers | None:
    """Return how good each answer is, (C, N); None: there is nothing to compare."""
    tallies = [own.tallies for own in answers.values()]
    known = [row_scores(each) for each in tallies if each is not None]
    if len(known) < 2 or len(known) < len(tallies):
        return None
    return np.stack(known)
