"""How good tags are: by entities, as conlleval counts, or by tokens where tags are of none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from foretext.metrics import classification_scores, tagging_scores
from foretext.metrics.classification import LabelScore

__all__ = ["tag_figures"]

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


def _table(rows: Iterable[LabelScore]) -> dict[str, dict[str, float]]:
    found = {row.label: row._asdict() for row in rows}
    for figures in found.values():
        del figures["label"]
    return found
