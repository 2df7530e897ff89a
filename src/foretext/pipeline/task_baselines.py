"""What a trained task is measured beside: answers learned in seconds from the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.metrics import tagging_scores
from foretext.metrics.classification import multi_label_scores
from foretext.tasks.baselines import LinearBaseline, WordTagBaseline

__all__ = ["Baseline", "learn_baseline"]

Figures = dict[str, Any]


@dataclass(frozen=True)
class Baseline:
    """A baseline that has learned."""

    name: str
    seconds: float  # that it learned
    figures: Callable[[Sequence[Any]], Figures]  # on rows with right answers


def learn_baseline(task: str, rows: Sequence[Any]) -> Baseline:
    """Learn the baseline of a task.

    Raises:
        CorpusError: there is nothing to learn from the rows.
    """
    began = time.monotonic()
    name, figures = _LEARNERS[task](rows)
    return Baseline(name, time.monotonic() - began, figures)


def _classification(rows: Sequence[Any]) -> tuple[str, Callable[[Sequence[Any]], Figures]]:
    learned = LinearBaseline().fit([row.text for row in rows], [row.labels for row in rows])

    def figures(others: Sequence[Any]) -> Figures:
        answers = learned.predict([row.text for row in others])
        sets = [(each,) if isinstance(each, str) else each for each in answers]
        scores = multi_label_scores([row.labels for row in others], sets)
        return {"texts": len(others), **scores.figures()}

    return "TF-IDF and logistic regression", figures


def _tagging(rows: Sequence[Any]) -> tuple[str, Callable[[Sequence[Any]], Figures]]:
    learned = WordTagBaseline().fit([row.tokens for row in rows], [row.tags for row in rows])

    def figures(others: Sequence[Any]) -> Figures:
        answers = learned.predict([row.tokens for row in others])
        return tagging_scores([row.tags for row in others], answers).figures()

    return "the most frequent tag of each word", figures


def _matching(rows: Sequence[Any]) -> tuple[str, Callable[[Sequence[Any]], Figures]]:
    from foretext.tasks.pair_baseline import PairBaseline

    learned = PairBaseline().fit(rows)
    return "words in common", learned.figures


def _span_qa(rows: Sequence[Any]) -> tuple[str, Callable[[Sequence[Any]], Figures]]:
    from foretext.tasks.span_baseline import LexicalSpanBaseline

    return "the span among words of the question", LexicalSpanBaseline().figures


_LEARNERS: dict[str, Callable[[Sequence[Any]], tuple[str, Callable[[Sequence[Any]], Figures]]]] = {
    "classification": _classification,
    "matching": _matching,
    "tagging": _tagging,
    "span_qa": _span_qa,
}
