"""What a trained task is measured beside: answers learned in seconds from the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foretext.classifiers.word_tag_baseline import WordTagBaseline
from foretext.classifiers.linear import LinearClassifier
from foretext.classifiers.pair_baseline import PairBaseline
from foretext.classifiers.span_baseline import LexicalSpanBaseline
from foretext.errors import CorpusError
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.training import Setting
from foretext.metrics import classification_scores, detect_scheme, pearson, spearman
from foretext.task_models.answer_figures import answer_figures, language_of
from foretext.task_models.tag_figures import tag_figures

__all__ = ["Baseline", "learn_baseline", "learned_baseline"]

Figures = dict[str, Any]


@dataclass(frozen=True)
class Baseline:
    """A baseline that has learned."""

    name: str
    figures: Callable[[Sequence[Any]], Figures]  # on rows with right answers
    linear: LinearClassifier | None = None  # of classification: what answers
    seconds: float = 0.0  # that it learned


def learned_baseline(job: FinetuneJob, setting: Setting) -> Baseline | None:
    """Learn the baseline of a run; None where none is wanted, or nothing is to be learned."""
    if not setting.finetuning.baseline:
        return None
    try:
        return learn_baseline(job.task, setting.rows.train)
    except CorpusError as error:  # no reason to lose what was trained
        job.note(f"there is no baseline: {error}")
        return None


def learn_baseline(task: str, rows: Sequence[Any]) -> Baseline:
    """Learn the baseline of a task.

    Raises:
        CorpusError: there is nothing to learn from the rows.
    """
    began = time.monotonic()
    learned = _LEARNERS[task](rows)
    return replace(learned, seconds=time.monotonic() - began)


def _classification(rows: Sequence[Any]) -> Baseline:
    learned = LinearClassifier().fit([row.text for row in rows], [row.labels for row in rows])

    def figures(others: Sequence[Any]) -> Figures:
        found = learned.figures(others)
        return {name: value for name, value in found.items() if name != "labels"}

    return Baseline("TF-IDF and logistic regression", figures, learned)


def _matching(rows: Sequence[Any]) -> Baseline:
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

    return Baseline("words that both texts share", figures)


def _tagging(rows: Sequence[Any]) -> Baseline:
    learned = WordTagBaseline().fit([row.tokens for row in rows], [row.tags for row in rows])
    of_entities = detect_scheme([row.tags for row in rows]) is not None

    def figures(others: Sequence[Any]) -> Figures:
        answers = learned.predict([row.tokens for row in others])
        return tag_figures([row.tags for row in others], answers, of_entities=of_entities)

    return Baseline("the most frequent tag of each word", figures)


def _span_qa(rows: Sequence[Any]) -> Baseline:
    learned = LexicalSpanBaseline().fit(rows)

    def figures(others: Sequence[Any]) -> Figures:
        given = learned.predict(others)
        return answer_figures(others, given, language_of(others))

    return Baseline("words near those of the question", figures)


_LEARNERS: dict[str, Callable[[Sequence[Any]], Baseline]] = {
    "classification": _classification,
    "matching": _matching,
    "tagging": _tagging,
    "span_qa": _span_qa,
}
