"""How good vectors of texts are, and what a report shows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.excerpts import excerpt
from foretext.classifiers.sentence_answers import SentenceAnswers, halves
from foretext.classifiers.shown_row import ShownRow, shown_rows
from foretext.data.rows import SentenceRow
from foretext.errors import CorpusError
from foretext.metrics import pearson, spearman
from foretext.metrics.paired import Tallies, rank_tallies, share_tallies
from foretext.metrics.retrieval import RelevantRanks, retrieval_figures

__all__ = [
    "same_vectors",
    "sentence_figures",
    "sentence_findings",
    "sentence_tallies",
    "shown_sentences",
]

MOST_POINTS, MOST_ERRORS = 1000, 50
GAIN_RANKS = 10  # of nDCG@10
UNIFORM = -0.05  # uniformity from which all vectors are one point, or nearly


def sentence_figures(rows: Sequence[SentenceRow], answers: SentenceAnswers) -> dict[str, Any]:
    """Return the figures of a kind of rows, with alignment and uniformity.

    Raises:
        CorpusError: scores are of one row alone.
    """
    lie = {"alignment": answers.alignment, "uniformity": answers.uniformity}
    if answers.ranks is not None:
        found = [RelevantRanks([rank], 1) for rank in answers.ranks.tolist()]
        counts = {"rows": len(rows), "candidates": answers.num_candidates}
        return counts | retrieval_figures(found) | lie
    if len(rows) < 2:
        raise CorpusError(
            "Scores are judged by their order, which a single row does not have; give two or more."
        )
    gold = _scores(rows)
    return {
        "rows": len(rows),
        "spearman": float(np.nan_to_num(spearman(gold, answers.cosines))),
        "pearson": float(np.nan_to_num(pearson(gold, answers.cosines))),
        **lie,
    }


def sentence_tallies(rows: Sequence[SentenceRow], answers: SentenceAnswers) -> dict[str, Tallies]:
    """Return what each row adds to the figure that counts."""
    if answers.ranks is None:
        return {"spearman": rank_tallies(_scores(rows), answers.cosines)}
    gains = np.where(answers.ranks <= GAIN_RANKS, 1 / np.log2(answers.ranks + 1.0), 0.0)
    return {"ndcg@10": share_tallies(gains)}


def sentence_findings(rows: Sequence[SentenceRow], answers: SentenceAnswers) -> dict[str, Any]:
    """Return points of scores and cosines, or a table of the rows that are hardest to find."""
    if answers.ranks is None:
        return _scored(rows, answers.cosines)
    last = np.argsort(-answers.ranks, kind="stable")[:MOST_ERRORS].tolist()
    table = [
        {
            "rank": int(answers.ranks[place]),
            "text": excerpt(_asked(rows[place])),
            "right": excerpt(_answer(rows[place])),
            "nearest": excerpt(answers.nearest[place]),
        }
        for place in last
        if answers.ranks[place] > 1
    ]
    hint = f"Rank of the right text among {answers.num_candidates:,} candidates; 1 is right."
    if rows[0].text_b is None:
        hint += " Each half of a text looks for the other; pairs with scores say more of meaning."
    return {"tables": [{"title": "Right texts that are found last", "hint": hint, "rows": table}]}


def shown_sentences(rows: Sequence[SentenceRow], answers: SentenceAnswers) -> list[ShownRow]:
    """Return rows with right and given answers as a person reads them."""
    if answers.ranks is None:
        scores = [f"{score:g}" for score in _scores(rows)]
        cosines = [f"{cosine:.3g}" for cosine in answers.cosines]
        return shown_rows([row.text for row in rows], scores, cosines)
    asked, right = [_asked(row) for row in rows], [_answer(row) for row in rows]
    return shown_rows(asked, right, answers.nearest)


def same_vectors(answers: SentenceAnswers) -> str | None:
    """Return a sentence where all texts have nearly the same vector."""
    if len(answers.cosines) < 2 or answers.uniformity < UNIFORM:
        return None
    return (
        f"All texts have nearly the same vector: their uniformity is {answers.uniformity:.3f}, and "
        "0 is that of one point."
    )


def _scores(rows: Sequence[SentenceRow]) -> list[float]:
    return [0.0 if row.score is None else row.score for row in rows]


def _asked(row: SentenceRow) -> str:
    return halves(row.text_a)[0] if row.text_b is None else row.text_a


def _answer(row: SentenceRow) -> str:
    return halves(row.text_a)[1] if row.text_b is None else row.text_b


def _scored(rows: Sequence[SentenceRow], cosines: NDArray[np.float64]) -> dict[str, Any]:
    """Return points of scores and cosines, and the pairs where their ranks differ most."""
    gold = np.array(_scores(rows))
    shown = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round())
    order = [values.argsort(kind="stable").argsort(kind="stable") for values in (gold, cosines)]
    worst = np.argsort(-np.abs(order[0] - order[1]), kind="stable")[:MOST_ERRORS]
    return {
        "points": [[float(gold[place]), float(cosines[place])] for place in shown.astype(int)],
        "errors": [
            {
                "text_a": excerpt(rows[place].text_a),
                "text_b": excerpt(str(rows[place].text_b)),
                "right": float(gold[place]),
                "cosine": float(cosines[place]),
                "place": rows[place].place,
            }
            for place in worst.tolist()
        ],
    }
