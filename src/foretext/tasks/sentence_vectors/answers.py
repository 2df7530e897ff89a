"""What vectors of texts say of rows: how similar two texts are, and where the right one is found.

A row of one text is a pair of its two halves: of a text that is new to a model nothing else is
known to belong to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import SentenceRow
from foretext.messages import message
from foretext.metrics import pearson, spearman
from foretext.metrics.correlation import alignment, uniformity
from foretext.metrics.paired import Tallies, rank_tallies, share_tallies
from foretext.metrics.retrieval import RelevantRanks, retrieval_figures
from foretext.tasks.answers import Answers, ShownRow, excerpt, shown_rows
from foretext.tasks.score_answers import correlation, score_findings, scores_of
from foretext.vectors.text_embedding import shortened

__all__ = [
    "UNTOUCHED",
    "Cosines",
    "DenseVectors",
    "Embed",
    "Places",
    "SentenceAnswers",
    "TextVectors",
    "halves",
    "sentence_answers",
    "vectors_by",
]

UNTOUCHED = "the base as it was"  # before it learned from rows
QUERIES = 512  # that are compared with all candidates at once
SAMPLE = 1000  # texts whose distances are measured, all of them with all others
MOST_ERRORS = 50
GAIN_RANKS = 10  # of nDCG@10
UNIFORM = -0.05  # uniformity from which all vectors are one point, or nearly
ALIGNED = 0.8  # of the range of scores: pairs from here on belong together

Places = NDArray[np.int64]
Cosines = NDArray[np.float32]


class TextVectors(Protocol):
    """Vectors of some texts."""

    def cosines(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of all firsts with all seconds, (N, M)."""

    def paired(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of each first with its second, (N,)."""


Embed = Callable[[Sequence[str]], TextVectors]


class DenseVectors:
    """Vectors (N, D); zeros are similar to nothing."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._units = shortened(vectors.copy(), None, normalize=True)

    def cosines(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of all firsts with all seconds, (N, M)."""
        found: Cosines = self._units[firsts] @ self._units[seconds].T
        return found

    def paired(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of each first with its second, (N,)."""
        found: Cosines = (self._units[firsts] * self._units[seconds]).sum(1)
        return found


def vectors_by(embed: Callable[[Sequence[str]], Any]) -> Embed:
    """Return what compares texts by the vectors (N, D) that `embed` has for them."""
    return lambda texts: DenseVectors(np.asarray(embed(list(texts)), np.float32))


@dataclass(frozen=True)
class SentenceAnswers(Answers):
    """Similarities of N rows.

    Attributes:
        cosines: (N,) of the two texts of a row.
        alignment, uniformity: of the vectors; lower is better.
        ranks: (N,) of a row's second text among all candidates for its first one, from 1; None:
            rows have scores, and nothing is searched for.
        nearest: the candidate that is most similar to the first text of each row.
        num_candidates: texts that are searched.
    """

    cosines: NDArray[np.float64]
    alignment: float
    uniformity: float
    ranks: NDArray[np.int64] | None = None
    nearest: Sequence[str] = ()
    num_candidates: int = 0

    @property
    def judged_by(self) -> str:
        """The correlation of ranks with scores, or nDCG of a search."""
        return "spearman" if self.ranks is None else "ndcg@10"

    def figures(self, rows: Sequence[SentenceRow]) -> dict[str, Any]:
        """Return the figures of a kind of rows, with alignment and uniformity.

        Raises:
            CorpusError: scores are of one row alone.
        """
        lie = {"alignment": self.alignment, "uniformity": self.uniformity}
        if self.ranks is not None:
            found = [RelevantRanks([rank], 1) for rank in self.ranks.tolist()]
            counts = {"rows": len(rows), "candidates": self.num_candidates}
            return counts | retrieval_figures(found) | lie
        gold = scores_of(rows)
        return {
            "rows": len(rows),
            "spearman": correlation(spearman, gold, self.cosines),
            "pearson": correlation(pearson, gold, self.cosines),
            **lie,
        }

    def tallies(self, rows: Sequence[SentenceRow]) -> dict[str, Tallies]:
        """Return what each row adds to the figure that counts."""
        if self.ranks is None:
            return {"spearman": rank_tallies(scores_of(rows), self.cosines)}
        gains = np.where(self.ranks <= GAIN_RANKS, 1 / np.log2(self.ranks + 1.0), 0.0)
        return {"ndcg@10": share_tallies(gains)}

    def findings(
        self, rows: Sequence[SentenceRow], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return points of scores and cosines, or a table of the rows that are hardest to find."""
        if self.ranks is None:
            apart = _ranks_apart(rows, self.cosines)
            return score_findings(rows, self.cosines, apart, "cosine")
        last = np.argsort(-self.ranks, kind="stable")[:MOST_ERRORS].tolist()
        table = [
            {
                "rank": int(self.ranks[place]),
                "text": excerpt(_query(rows[place])),
                "right": excerpt(_answer(rows[place])),
                "nearest": excerpt(self.nearest[place]),
            }
            for place in last
            if self.ranks[place] > 1
        ]
        hint = f"Rank of the right text among {self.num_candidates:,} candidates; 1 is right."
        if rows[0].text_b is None:
            hint += (
                " The first half of a text searches for the second; pairs with scores test meaning."
            )
        return {
            "tables": [{"title": "Right texts that are found last", "hint": hint, "rows": table}]
        }

    def shown(self, rows: Sequence[SentenceRow]) -> list[ShownRow]:
        """Return rows with right and given answers as a person reads them."""
        if self.ranks is None:
            scores = [f"{score:g}" for score in scores_of(rows)]
            cosines = [f"{cosine:.3g}" for cosine in self.cosines]
            return shown_rows([row.text for row in rows], scores, cosines)
        queries, right = [_query(row) for row in rows], [_answer(row) for row in rows]
        return shown_rows(queries, right, self.nearest)

    def degenerate(self, rows: Sequence[SentenceRow]) -> str | None:
        """Return a sentence where all texts have nearly the same vector."""
        if len(self.cosines) < 2 or self.uniformity < UNIFORM:
            return None
        return message("findings.degenerate.one_vector", uniformity=self.uniformity)


def sentence_answers(rows: Sequence[SentenceRow], embed: Embed) -> SentenceAnswers:
    """Compare the texts of rows by their vectors.

    The candidates of a search are the second texts of all rows, and the negatives. Those that are
    right for an equal first text are left out, and so is that text itself. Of equal cosines the
    right text comes last.
    """
    pairs = [_pair(row) for row in rows]
    negatives = [row.negative for row in rows if row.negative is not None]
    texts = list(dict.fromkeys([*(each for pair in pairs for each in pair), *negatives]))
    places = {text: place for place, text in enumerate(texts)}
    vectors = embed(texts)
    firsts = np.array([places[first] for first, _ in pairs], np.int64)
    seconds = np.array([places[second] for _, second in pairs], np.int64)
    cosines = vectors.paired(firsts, seconds).astype(np.float64)
    together = _together(rows)
    known: dict[str, Any] = {
        "cosines": cosines,
        "alignment": alignment(cosines[together]),
        "uniformity": _uniformity(vectors, len(texts)),
    }
    if rows[0].kind == "scores":
        return SentenceAnswers(**known)
    further = np.array([places[text] for text in negatives], np.int64)
    candidates = np.unique(np.concatenate([seconds, further]))
    ranks, nearest = _searched(vectors, firsts, seconds, candidates)
    found = [texts[place] for place in nearest.tolist()]
    return SentenceAnswers(**known, ranks=ranks, nearest=found, num_candidates=len(candidates))


def halves(text: str) -> tuple[str, str]:
    """Return the two halves of a text, cut at the blank that is nearest to its middle."""
    middle = len(text) // 2
    blanks = [text.rfind(" ", 0, middle + 1), text.find(" ", middle)]
    near = [cut for cut in blanks if cut > 0 and text[:cut].strip() and text[cut:].strip()]
    cut = min(near, key=lambda blank: abs(blank - middle), default=middle)
    first, second = text[:cut].strip(), text[cut:].strip()
    return (first, second) if first and second else (text, text)


def _pair(row: SentenceRow) -> tuple[str, str]:
    return halves(row.text_a) if row.text_b is None else (row.text_a, row.text_b)


def _together(rows: Sequence[SentenceRow]) -> NDArray[np.bool_]:
    """Return which rows are of texts that belong together, (N,): by their scores, or all."""
    if rows[0].kind != "scores":
        return np.ones(len(rows), np.bool_)
    scores = np.array(scores_of(rows))
    together: NDArray[np.bool_] = scores >= scores.min() + ALIGNED * np.ptp(scores)
    return together


def _uniformity(vectors: TextVectors, num_texts: int) -> float:
    some = np.unique(np.linspace(0, num_texts - 1, min(num_texts, SAMPLE)).round()).astype(np.int64)
    return uniformity(vectors.cosines(some, some))


def _searched(
    vectors: TextVectors, firsts: Places, seconds: Places, candidates: Places
) -> tuple[NDArray[np.int64], Places]:
    """Return the rank of each second text, and the nearest candidate of each first one, (N,)."""
    right: dict[int, list[int]] = {}
    for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True):
        right.setdefault(first, [first]).append(second)
    ranks, nearest = np.empty(len(firsts), np.int64), np.empty(len(firsts), np.int64)
    for start in range(0, len(firsts), QUERIES):
        part = slice(start, start + QUERIES)
        cosines = vectors.cosines(firsts[part], candidates)  # (n, M)
        own = np.searchsorted(candidates, seconds[part])
        mine = cosines[np.arange(len(own)), own]  # (n,)
        for row, first in enumerate(firsts[part].tolist()):
            cosines[row, np.isin(candidates, right[first])] = -np.inf
        cosines[np.arange(len(own)), own] = mine
        ranks[part] = (cosines >= mine[:, None]).sum(1)
        nearest[part] = candidates[cosines.argmax(1)]
    return ranks, nearest


def _query(row: SentenceRow) -> str:
    return halves(row.text_a)[0] if row.text_b is None else row.text_a


def _answer(row: SentenceRow) -> str:
    return halves(row.text_a)[1] if row.text_b is None else row.text_b


def _ranks_apart(rows: Sequence[SentenceRow], cosines: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how far the rank of each cosine is from that of its score, (N,)."""
    gold = np.array(scores_of(rows))
    ranks = [each.argsort(kind="stable").argsort(kind="stable") for each in (gold, cosines)]
    apart: NDArray[np.int64] = np.abs(ranks[0] - ranks[1])
    return apart
