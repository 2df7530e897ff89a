"""How good tags are: by entities, as conlleval counts, or by tokens where there are no entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.one_answer import FEWEST, one_answer
from foretext.classifiers.shown_row import ShownRow, shown_rows
from foretext.classifiers.word_tag_baseline import WordTagBaseline
from foretext.data.rows import TaggedSentence
from foretext.metrics import classification_scores, detect_notation, entity_spans, tagging_scores
from foretext.metrics.classification import LabelScore
from foretext.metrics.paired import Tallies, f1_tallies, share_tallies

__all__ = ["same_tags", "shown_tags", "tag_baseline", "tag_figures", "tag_majority", "tag_tallies"]

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
    return Baseline(
        "the most frequent tag of each word",
        lambda others: learned.predict([row.tokens for row in others]),
    )


def tag_majority(rows: Sequence[TaggedSentence]) -> Baseline:
    """Give every token the tag of no entity, or, where tags are not of entities, the commonest."""
    tags = [row.tags for row in rows]
    of_entities = detect_notation(tags) is not None
    tag = "O" if of_entities else Counter(chain(*tags)).most_common(1)[0][0]
    name = "no entity" if of_entities else "the most frequent tag"
    return Baseline(name, lambda others: [[tag] * len(row.tokens) for row in others])


def tag_tallies(gold: Sentences, predicted: Sentences, *, of_entities: bool) -> dict[str, Tallies]:
    """Return what each sentence adds to the F1 of entities, or to the accuracy of tags."""
    sentences = list(zip(gold, predicted, strict=True))
    if not of_entities:
        hits = [sum(a == b for a, b in zip(*both, strict=True)) for both in sentences]
        return {"accuracy": share_tallies(hits, [len(tags) for tags in gold])}
    spans = [(set(entity_spans(right)), set(entity_spans(given))) for right, given in sentences]
    counts = np.array([(len(a & b), len(a), len(b)) for a, b in spans])  # (N, 3)
    return {"f1": f1_tallies(*counts.T)}


def shown_tags(
    rows: Sequence[TaggedSentence], gold: Sentences, predicted: Sentences, *, of_entities: bool
) -> list[ShownRow]:
    """Return sentences with their entities, "PER: Ada", or with their tags, as a person reads them.

    Args:
        rows: whose tokens are shown.
        gold: their right tags.
        predicted: those that were given.
        of_entities: whether tags are of entities.
    """
    right, given = (
        [
            _entities(row.tokens, tags) if of_entities else " ".join(tags)
            for row, tags in zip(rows, sentences, strict=True)
        ]
        for sentences in (gold, predicted)
    )
    return shown_rows([row.text for row in rows], right, given)


def _entities(tokens: Sequence[str], tags: Sequence[str]) -> str:
    return "; ".join(
        f"{span.label}: {' '.join(tokens[span.start : span.end])}" for span in entity_spans(tags)
    )


def same_tags(gold: Sentences, predicted: Sentences, *, of_entities: bool) -> str | None:
    """Return a sentence where no entity is found, or all tokens get the same tag."""
    right, given = [*chain(*gold)], [*chain(*predicted)]
    if not of_entities:
        return one_answer(right, given, "tokens", f"'{given[0]}'" if given else "")
    number = sum(len(entity_spans(tags)) for tags in gold)
    if len(gold) < FEWEST or not number or any(tag != "O" for tag in given):
        return None
    return f"No entity was found in {len(gold):,} sentences, which hold {number:,}."


def _table(rows: Iterable[LabelScore]) -> dict[str, dict[str, float]]:
    found = {row.label: row._asdict() for row in rows}
    for figures in found.values():
        del figures["label"]
    return found
