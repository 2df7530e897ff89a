"""What a trained task is measured beside: answers learned in seconds from the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.metrics import classification_scores, detect_scheme, pearson, spearman
from foretext.metrics.classification import multi_label_scores
from foretext.task_models.answer_figures import answer_figures, language_of
from foretext.task_models.tag_figures import tag_figures
from foretext.tasks.baselines import LinearBaseline, WordTagBaseline
from foretext.tasks.pair_baseline import PairBaseline
from foretext.tasks.span_baseline import LexicalSpanBaseline

__all__ = ["Baseline", "learn_baseline"]

Figures = dict[str, Any]
Learned = tuple[str, Callable[[Sequence[Any]], Figures]]  # a name, and figures of other rows


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


def _classification(rows: Sequence[Any]) -> Learned:
    learned = LinearBaseline().fit([row.text for row in rows], [row.labels for row in rows])

    def figures(others: Sequence[Any]) -> Figures:
        answers = learned.predict([row.text for row in others])
        sets = [(each,) if isinstance(each, str) else each for each in answers]
        scores = multi_label_scores([row.labels for row in others], sets)
        return {"texts": len(others), **scores.figures()}

    return "TF-IDF and logistic regression", figures


def _matching(rows: Sequence[Any]) -> Learned:
    has_scores = rows[0].score is not None
    answers = [row.score if has_scores else row.label for row in rows]
    learned = PairBaseline().fit([(row.text_a, row.text_b) for row in rows], answers)

    def figures(others: Sequence[Any]) -> Figures:
        given: list[Any] = learned.predict([(row.text_a, row.text_b) for row in others])
        if has_scores:
            gold = [row.score for row in others]
            return {"pearson": pearson(gold, given), "spearman": spearman(gold, given)}
        scores = classification_scores([row.label for row in others], given)
        found = {"pairs": len(others), **scores.figures()}
        if len(learned.classes_) == 2:
            table = {row.label: row.f1 for row in scores.per_label}
            found["f1"] = table.get(learned.classes_[1], 0.0)
        return found

    return "words that both texts share", figures


def _tagging(rows: Sequence[Any]) -> Learned:
    learned = WordTagBaseline().fit([row.tokens for row in rows], [row.tags for row in rows])
    of_entities = detect_scheme([row.tags for row in rows]) is not None

    def figures(others: Sequence[Any]) -> Figures:
        answers = learned.predict([row.tokens for row in others])
        return tag_figures([row.tags for row in others], answers, of_entities=of_entities)

    return "the most frequent tag of each word", figures


def _span_qa(rows: Sequence[Any]) -> Learned:
    learned = LexicalSpanBaseline().fit(rows)

    def figures(others: Sequence[Any]) -> Figures:
        given = learned.predict(others)
        return answer_figures(others, given, language_of(others))

    return "words near those of the question", figures


_LEARNERS: dict[str, Callable[[Sequence[Any]], Learned]] = {
    "classification": _classification,
    "matching": _matching,
    "tagging": _tagging,
    "span_qa": _span_qa,
}
