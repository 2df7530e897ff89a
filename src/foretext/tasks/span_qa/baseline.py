"""The words of a passage closest to those of the question: what a reader has to beat.

After the sliding window of Richardson et al. 2013, with which SQuAD began (Rajpurkar et al. 2016,
5.1): a word of the question weighs the more, the rarer it is in the passage. It pulls by distance
here, within its sentence, and what it pulls at are runs of words between the question's own and
marks, where SQuAD asked a parser for constituents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config as Settings
from foretext.data.rows import Question
from foretext.tasks.baseline import Baseline
from foretext.tasks.span_qa.answers import SpanAnswers, SpanChoice
from foretext.tasks.span_qa.readings import Reading

__all__ = ["LexicalSpanBaseline", "no_answer", "span_baseline"]

_PIECE = re.compile(r"[\u3400-\u9fff]|\w+(?:[.,'’\-–]\w+)*|[^\w\s]")  # Chinese by characters
_ENDS = set(".!?。！？")

_Places = NDArray[np.intp]  # of words in a passage


class LexicalSpanBaseline:
    """One run of words a question; it answers every question, and learns which words say little.

    Attributes:
        common: words that no answer begins or ends with, after `fit`.
    """

    class Config(Settings):
        """What may be an answer, and how far words reach."""

        max_words: int = Field(default=5, ge=1)
        """Words of an answer, at most; characters where words have no blanks."""
        common_rate: float = Field(default=0.05, gt=0, le=1)
        """Share of passages from which on a word counts as common."""
        reach: float = Field(default=10.0, gt=0)
        """Words over which the pull of a question word falls by e."""

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or self.Config()
        self.common: frozenset[str] = frozenset()

    def fit(self, questions: Sequence[Question]) -> Self:
        """Count in how many passages each word occurs; answers are not looked at."""
        contexts = {row.context for row in questions}
        counts = Counter(word for context in contexts for word in set(_words(context)))
        least = self.config.common_rate * len(contexts)
        self.common = frozenset(word for word, number in counts.items() if number > least)
        return self

    def predict(self, questions: Sequence[Question]) -> list[str]:
        """Return the answer to each question, of equals the first; "" if its passage has no run."""
        spans = zip(questions, self.spans(questions), strict=True)
        return ["" if span is None else row.context[slice(*span)] for row, span in spans]

    def spans(self, questions: Sequence[Question]) -> list[tuple[int, int] | None]:
        """Return where each answer begins and ends in its passage; None: there is no run."""
        return [self._span(_passage(row.context), row) for row in questions]

    def _span(self, passage: _Passage, row: Question) -> tuple[int, int] | None:
        of_question = _where(set(_words(row.question)), passage) & passage.is_word
        firsts, lasts = self._runs(passage, of_question)
        if not len(firsts):
            return None
        best = self._pull(passage, of_question, firsts, lasts).argmax()
        return int(passage.spans[firsts[best], 0]), int(passage.spans[lasts[best], 1])

    def _runs(self, passage: _Passage, of_question: NDArray[np.bool_]) -> tuple[_Places, _Places]:
        """Return the first and the last word of each run, (R,), without common words around it."""
        inside = passage.is_word & ~of_question
        places = np.flatnonzero(inside & ~_where(self.common, passage))
        runs = np.cumsum(~inside)[places]  # equal within a run
        is_first = np.diff(runs, prepend=-1) > 0
        firsts = places[is_first]
        lasts = places[np.append(is_first[1:], True)] if len(places) else places
        return firsts, np.minimum(lasts, firsts + self.config.max_words - 1)

    def _pull(
        self, passage: _Passage, of_question: NDArray[np.bool_], firsts: _Places, lasts: _Places
    ) -> NDArray[np.float64]:
        """Return how strongly the question's words pull at each run, (R,)."""
        places = np.flatnonzero(of_question)  # (P,)
        distances = np.maximum(firsts[:, None] - places, places - lasts[:, None])  # (R, P)
        is_near = passage.sentences[firsts, None] == passage.sentences[places]
        pulls = passage.rarities[places] * np.exp(-distances / self.config.reach) * is_near
        total: NDArray[np.float64] = pulls.sum(axis=1)
        return total


class _Passage(NamedTuple):
    """T words and marks."""

    words: list[str]
    spans: NDArray[np.int64]  # (T, 2) characters
    is_word: NDArray[np.bool_]  # (T,)
    sentences: NDArray[np.int64]  # (T,)
    rarities: NDArray[np.float64]  # (T,) log(1 + 1 / count in the passage)


@lru_cache(maxsize=64)  # questions on the same passage stand together
def _passage(context: str) -> _Passage:
    matches = list(_PIECE.finditer(context))
    words = [match[0].lower() for match in matches]
    counts = Counter(words)
    ends = np.array([word in _ENDS for word in words], np.int64)
    return _Passage(
        words,
        np.array([match.span() for match in matches], np.int64).reshape(-1, 2),
        np.array([word[0].isalnum() for word in words], bool),
        np.cumsum(ends) - ends,
        np.log1p([1 / counts[word] for word in words]),
    )


def _words(text: str) -> Iterable[str]:
    return (word.lower() for word in _PIECE.findall(text))


def _where(words: set[str] | frozenset[str], passage: _Passage) -> NDArray[np.bool_]:
    """Whether each word is one of these, (T,)."""
    return np.fromiter((word in words for word in passage.words), bool, len(passage.words))


def span_baseline(rows: Sequence[Question]) -> Baseline:
    """Learn which words say little; answers are near the words of the question."""
    learned, choice = LexicalSpanBaseline().fit(rows), _choice(rows)

    def answers(others: Sequence[Question]) -> SpanAnswers:
        spans = zip(others, learned.spans(others), strict=True)
        return SpanAnswers([Reading.of_span(row.context, span) for row, span in spans], choice)

    return Baseline("words near those of the question", answers)


def no_answer(rows: Sequence[Question]) -> Baseline | None:
    """Leave every question without an answer; None where all of these rows have one."""
    choice = _choice(rows)
    if not choice.may_abstain:
        return None

    def answers(others: Sequence[Question]) -> SpanAnswers:
        return SpanAnswers([Reading.of_span("", None) for _ in others], choice)

    return Baseline("no answer", answers)


def _choice(rows: Sequence[Question]) -> SpanChoice:
    return SpanChoice(may_abstain=not all(row.answers for row in rows))
