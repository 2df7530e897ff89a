"""What vectors of texts say of rows: how similar two texts are, and where the right one is found.

A row of one text is a pair of its two halves: of a text that is new to a model nothing else is
known to belong to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import SentenceRow
from foretext.metrics.hypersphere import alignment, uniformity
from foretext.vectors.shortened import shortened

__all__ = [
    "Cosines",
    "DenseVectors",
    "Embed",
    "Places",
    "SentenceAnswers",
    "TextVectors",
    "halves",
    "sentence_answers",
]

QUERIES = 512  # that are compared with all candidates at once
SAMPLE = 1000  # texts whose distances are measured, all of them with all others
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


@dataclass(frozen=True)
class SentenceAnswers:
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
    scores = np.array([0.0 if row.score is None else row.score for row in rows])
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
