"""How good tags are: by entities, as conlleval counts, or by tokens where there are no entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.word_tag_baseline import WordTagBaseline
from foretext.data.rows import TaggedSentence
from foretext.metrics import classification_scores, detect_scheme, tagging_scores
from foretext.metrics.classification import LabelScore

__all__ = ["tag_baseline", "tag_figures"]

Sentences = Sequence[Sequence[str]]  # the tags of each


def tag_figures(gold: Sentences, predicted: Sentences, *, of_entities: bool) -> dict[str, Any]:
    """Return the figures and the table, of kinds of entities or of tags.

    Raises:
        ValueError: there is no tag, or not as many on either side.
    """
    counts = {"sentences": len(gold), "tokens": sum(map(len, gold))}
    if of_entities:
        entities = tagging_scores(gold, predicted)
        return {**counts, **entities.figures(), "labels": _table(entities.per_label)}
    scores = classification_scores([*chain(*gold)], [*chain(*predicted)])
    figures = {"accuracy": scores.accuracy, "macro_f1": scores.macro_f1}
    return {**counts, **figures, "labels": _table(scores.per_label)}


def tag_baseline(rows: Sequence[TaggedSentence]) -> Baseline:
    """Learn the most frequent tag of each word.

    Raises:
        CorpusError: there is no tagged token.
    """
    learned = WordTagBaseline().fit([row.tokens for row in rows], [row.tags for row in rows])
    of_entities = detect_scheme([row.tags for row in rows]) is not None

    def figures(others: Sequence[TaggedSentence]) -> dict[str, Any]:
        answers = learned.predict([row.tokens for row in others])
        return tag_figures([row.tags for row in others], answers, of_entities=of_entities)

    return Baseline("the most frequent tag of each word", figures)


def _table(rows: Iterable[LabelScore]) -> dict[str, dict[str, float]]:
    found = {row.label: row._asdict() for row in rows}
    for figures in found.values():
        del figures["label"]
    return found
