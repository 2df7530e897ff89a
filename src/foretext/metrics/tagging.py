"""Precision, recall and F1 of entities, as the script conlleval counts them, and of tags.

An entity is right when its first token, its last token and its kind are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foretext.metrics.classification import LabelScore, label_scores, share
from foretext.metrics.tag_schemes import entity_spans

__all__ = ["TaggingScores", "tagging_scores"]

Sentences = Sequence[Sequence[str]]  # the tags of each


@dataclass(frozen=True)
class TaggingScores:
    """Shares from 0 to 1; those of entities are 0 where tags are not of entities."""

    accuracy: float  # of tags
    precision: float
    recall: float
    f1: float
    macro_f1: float  # mean over kinds
    per_label: tuple[LabelScore, ...]  # of kinds of entities, sorted

    def figures(self) -> dict[str, float]:
        """Return the figures without the table."""
        names = ("accuracy", "precision", "recall", "f1", "macro_f1")
        return {name: getattr(self, name) for name in names}


def tagging_scores(gold: Sentences, predicted: Sentences) -> TaggingScores:
    """Compare the entities, and the tags, of sentences; the two sides may differ in their scheme.

    Raises:
        ValueError: there is no tag, not as many on either side, or one is no tag of an entity.
    """
    _check_lengths(gold, predicted)
    hits, supports, chosen = Counter[str](), Counter[str](), Counter[str]()
    for right, given in zip(gold, predicted, strict=True):
        right_spans, given_spans = set(entity_spans(right)), set(entity_spans(given))
        hits.update(span.label for span in right_spans & given_spans)
        supports.update(span.label for span in right_spans)
        chosen.update(span.label for span in given_spans)
    labels = sorted({*supports, *chosen})
    counts = (np.array([side[label] for label in labels]) for side in (hits, supports, chosen))
    table = label_scores(labels, *counts)
    return TaggingScores(
        accuracy=_accuracy(gold, predicted),
        precision=share(hits.total(), chosen.total()),
        recall=share(hits.total(), supports.total()),
        f1=share(2 * hits.total(), chosen.total() + supports.total()),
        macro_f1=share(sum(row.f1 for row in table), len(table)),
        per_label=table,
    )


def _accuracy(gold: Sentences, predicted: Sentences) -> float:
    same = sum(
        tag == other
        for right, given in zip(gold, predicted, strict=True)
        for tag, other in zip(right, given, strict=True)
    )
    return same / sum(map(len, gold))


def _check_lengths(gold: Sentences, predicted: Sentences) -> None:
    lengths = [len(tags) for tags in gold], [len(tags) for tags in predicted]
    if lengths[0] != lengths[1] or not any(lengths[0]):
        raise ValueError("a tag a token, of the same sentences, one token or more, is needed")
