"""Scores of pairs: their range, and how well the answers agree with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.one_answer import FEWEST
from foretext.classifiers.shown_row import ShownRow, shown_rows
from foretext.data.rows import LabelledPair
from foretext.errors import CorpusError
from foretext.metrics import pearson, spearman
from foretext.metrics.paired import Tallies, rank_tallies

__all__ = [
    "agreement",
    "have_scores",
    "same_scores",
    "score_range",
    "score_tallies",
    "scores_of",
    "shown_scores",
]

_NEARLY_EQUAL = 0.02  # of the standard deviation of the right scores


def have_scores(rows: Sequence[LabelledPair]) -> bool:
    """Whether pairs have scores, not labels."""
    return bool(rows) and rows[0].score is not None


def scores_of(rows: Sequence[LabelledPair]) -> list[float]:
    """Return the score of each row.

    Raises:
        CorpusError: a row has none.
    """
    for row in rows:
        if row.score is None:
            raise CorpusError(
                f"{row.place}: the row has no score, and the training rows have one; name its "
                "column (--score)."
            )
    return [row.score for row in rows if row.score is not None]


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


def score_tallies(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> dict[str, Tallies]:
    """Return what each row adds to the correlation of ranks."""
    return {"spearman": rank_tallies(scores_of(rows), given)}


def same_scores(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> str | None:
    """Return a sentence where given scores (N,) are nearly equal, and the right ones are not."""
    gold = np.array(scores_of(rows))
    if len(rows) < FEWEST or not gold.std() or given.std() >= _NEARLY_EQUAL * gold.std():
        return None
    return (
        f"All {len(rows):,} pairs got nearly the same score, between {given.min():.3g} and "
        f"{given.max():.3g}, where the right ones lie between {gold.min():.3g} and "
        f"{gold.max():.3g}."
    )


def shown_scores(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> list[ShownRow]:
    """Return pairs with right and given scores (N,), as a person reads them."""
    right = [f"{score:g}" for score in scores_of(rows)]
    return shown_rows([row.text for row in rows], right, [f"{score:.3g}" for score in given])


def agreement(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> dict[str, float]:
    """Return how well given scores (N,) agree with the right ones.

    A correlation is 0 where all scores are equal.

    Raises:
        CorpusError: there are fewer than two rows, or one has no score.
    """
    if len(rows) < 2:
        raise CorpusError(
            "Scores are judged by their order, which a single row does not have; give two or more."
        )
    gold = scores_of(rows)
    return {
        "pearson": float(np.nan_to_num(pearson(gold, given))),
        "spearman": float(np.nan_to_num(spearman(gold, given))),
        "mean_squared_error": float(np.square(given - gold).mean()),
    }
