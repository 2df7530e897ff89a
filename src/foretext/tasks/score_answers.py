"""Scores of pairs of texts as answers: how well they agree with the right ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledPair
from foretext.messages import message
from foretext.metrics import pearson, spearman
from foretext.metrics.paired import Tallies, rank_tallies
from foretext.tasks.answers import FEWEST, Answers, ShownRow, excerpt, shown_rows

__all__ = [
    "ScoreAnswers",
    "correlation",
    "have_scores",
    "score_findings",
    "score_range",
    "scores_of",
]

MOST_POINTS = 1000
MOST_ERRORS = 50

_NEARLY_EQUAL = 0.02  # of the standard deviation of the right scores


@dataclass(frozen=True)
class ScoreAnswers(Answers):
    """A score for each of N pairs.

    Attributes:
        scores: (N,).
    """

    scores: NDArray[np.float64]

    @property
    def judged_by(self) -> str:
        """The correlation of ranks."""
        return "spearman"

    def figures(self, rows: Sequence[LabelledPair]) -> dict[str, Any]:
        """Return how well the scores agree with the right ones.

        A correlation is 0 where all scores are equal.

        Raises:
            CorpusError: there are fewer than two rows, or one has no score.
        """
        gold = scores_of(rows)
        return {
            "pairs": len(rows),
            "pearson": correlation(pearson, gold, self.scores),
            "spearman": correlation(spearman, gold, self.scores),
            "mean_squared_error": float(np.square(self.scores - gold).mean()),
        }

    def tallies(self, rows: Sequence[LabelledPair]) -> dict[str, Tallies]:
        """Return what each row adds to the correlation of ranks."""
        return {"spearman": rank_tallies(scores_of(rows), self.scores)}

    def findings(
        self, rows: Sequence[LabelledPair], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return points of right and given scores, and the pairs where they differ most."""
        apart = np.abs(self.scores - np.array(scores_of(rows)))
        return score_findings(rows, self.scores, apart)

    def shown(self, rows: Sequence[LabelledPair]) -> list[ShownRow]:
        """Return pairs with right and given scores, as a person reads them."""
        right = [f"{score:g}" for score in scores_of(rows)]
        return shown_rows(
            [row.text for row in rows], right, [f"{each:.3g}" for each in self.scores]
        )

    def degenerate(self, rows: Sequence[LabelledPair]) -> str | None:
        """Return a sentence where given scores are nearly equal, and the right ones are not."""
        gold, given = np.array(scores_of(rows)), self.scores
        if len(rows) < FEWEST or not gold.std() or given.std() >= _NEARLY_EQUAL * gold.std():
            return None
        return message(
            "findings.degenerate.one_score",
            rows=len(rows),
            least=given.min(),
            most=given.max(),
            right_least=gold.min(),
            right_most=gold.max(),
        )


class ScoredRow(Protocol):
    """Two texts with a score."""

    @property
    def text_a(self) -> str:
        """The first text."""
        ...

    @property
    def text_b(self) -> str | None:
        """The second one."""
        ...

    @property
    def score(self) -> float | None:
        """How similar they are; None: the row has no score."""
        ...

    @property
    def place(self) -> str:
        """``file:line``."""
        ...


def scores_of(rows: Sequence[ScoredRow]) -> list[float]:
    """Return the score of each row.

    Raises:
        CorpusError: a row has none.
    """
    for row in rows:
        if row.score is None:
            raise CorpusError(
                f"{row.place}: the row has no score, and other rows have one; name its column "
                "(--score), or remove the row."
            )
    return [row.score for row in rows if row.score is not None]


def score_range(rows: Sequence[ScoredRow]) -> dict[str, float]:
    """Return the lowest and the highest score.

    Raises:
        CorpusError: a row has none, or all are equal.
    """
    scores = scores_of(rows)
    if min(scores) == max(scores):
        raise CorpusError(message("files.rows.one_score", score=scores[0]))
    return {"lowest": min(scores), "highest": max(scores)}


def score_findings(
    rows: Sequence[ScoredRow],
    given: NDArray[np.float64],
    apart: NDArray[Any],
    name: str = "given",
) -> dict[str, Any]:
    """Return points of right and given scores, and the rows whose scores are farthest apart.

    Args:
        rows: with the right scores.
        given: scores of a model, (N,).
        apart: how far each is from the right one, (N,).
        name: of a given score.
    """
    gold = np.array(scores_of(rows))
    shown = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round())
    worst = np.argsort(-apart, kind="stable")[:MOST_ERRORS]
    return {
        "points": [[float(gold[place]), float(given[place])] for place in shown.astype(int)],
        "errors": [
            {
                "text_a": excerpt(rows[place].text_a),
                "text_b": excerpt(str(rows[place].text_b)),
                "right": float(gold[place]),
                name: float(given[place]),
                "place": rows[place].place,
            }
            for place in worst.tolist()
        ],
    }


def correlation(
    measure: Callable[[ArrayLike, ArrayLike], float], gold: ArrayLike, given: ArrayLike
) -> float:
    """Return a correlation of scores, (N,) each; 0 where all of one side are equal.

    Raises:
        CorpusError: there are fewer than two.
    """
    if np.size(given) < 2:
        raise CorpusError("A correlation of scores needs at least two rows; give more rows.")
    return float(np.nan_to_num(measure(gold, given)))


def have_scores(rows: Sequence[LabelledPair]) -> bool:
    """Whether pairs have scores, not labels."""
    return bool(rows) and rows[0].score is not None
