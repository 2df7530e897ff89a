"""Tags as answers: how good they are by entities, as conlleval counts, or by tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from foretext.data.rows import TaggedSentence
from foretext.heads.tag_set import TagSet
from foretext.metrics import classification_scores, entity_spans, tagging_scores
from foretext.metrics.classification import LabelScore
from foretext.metrics.paired import Tallies, f1_tallies, share_tallies
from foretext.tasks.answers import Answers
from foretext.tasks.one_answer import FEWEST, one_answer
from foretext.tasks.shown_row import ShownRow, shown_rows
from foretext.tasks.tagging.rows import plain_rows
from foretext.tasks.tagging.tag_findings import tag_findings

__all__ = ["TagAnswers"]


@dataclass(frozen=True)
class TagAnswers(Answers):
    """A tag for each token of N sentences.

    Right tags that violate their scheme are repaired: the entities stay the same.

    Attributes:
        tags: of each sentence, such as "B-PER", in the scheme of the user's files.
        tag_set: how tags are written in those files.
    """

    tags: Sequence[Sequence[str]]
    tag_set: TagSet

    @property
    def of_entities(self) -> bool:
        """Whether tags say where entities begin and end."""
        return self.tag_set.scheme is not None

    @property
    def judged_by(self) -> str:
        """F1 of entities, or the accuracy of tags."""
        return "f1" if self.of_entities else "accuracy"

    def figures(self, rows: Sequence[TaggedSentence]) -> dict[str, Any]:
        """Return F1, precision and recall of entities, accuracy of tags, and the table of kinds.

        Raises:
            CorpusError: a row has no tags, or one that does not fit the scheme.
        """
        gold = self._gold(rows)
        counts = {"sentences": len(gold), "tokens": sum(map(len, gold))}
        if self.of_entities:
            entities = tagging_scores(gold, self.tags)
            return {**counts, **entities.figures(), "labels": _table(entities.per_label)}
        scores = classification_scores([*chain(*gold)], [*chain(*self.tags)])
        figures = {"accuracy": scores.accuracy, "macro_f1": scores.macro_f1}
        return {**counts, **figures, "labels": _table(scores.per_label)}

    def tallies(self, rows: Sequence[TaggedSentence]) -> dict[str, Tallies]:
        """Return what each sentence adds to the F1 of entities, or to the accuracy of tags."""
        sentences = list(zip(self._gold(rows), self.tags, strict=True))
        if not self.of_entities:
            hits = [sum(a == b for a, b in zip(*both, strict=True)) for both in sentences]
            return {"accuracy": share_tallies(hits, [len(tags) for tags, _ in sentences])}
        spans = [(set(entity_spans(right)), set(entity_spans(given))) for right, given in sentences]
        counts = np.array([(len(a & b), len(a), len(b)) for a, b in spans])  # (N, 3)
        return {"f1": f1_tallies(*counts.T)}

    def findings(
        self, rows: Sequence[TaggedSentence], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return confusions, what became of entities, and the sentences with most errors."""
        found = tag_findings(rows, self._gold(rows), self.tags, of_entities=self.of_entities)
        for sentence in found["sentences"]:
            for side in ("right", "given"):
                sentence[side] = self.tag_set.written(sentence[side])
        return found

    def shown(self, rows: Sequence[TaggedSentence]) -> list[ShownRow]:
        """Return sentences with their entities, "PER: Ada", or with their tags."""
        right, given = (
            [
                _entities(row.tokens, tags) if self.of_entities else " ".join(tags)
                for row, tags in zip(rows, sentences, strict=True)
            ]
            for sentences in (self._gold(rows), self.tags)
        )
        return shown_rows([row.text for row in rows], right, given)

    def degenerate(self, rows: Sequence[TaggedSentence]) -> str | None:
        """Return a sentence where no entity is found, or all tokens get the same tag."""
        gold = self._gold(rows)
        given = [*chain(*self.tags)]
        if not self.of_entities:
            return one_answer([*chain(*gold)], given, "tokens", f"'{given[0]}'" if given else "")
        number = sum(len(entity_spans(tags)) for tags in gold)
        if len(gold) < FEWEST or not number or any(tag != "O" for tag in given):
            return None
        return f"No entity was found in {len(gold):,} sentences, which hold {number:,}."

    def _gold(self, rows: Sequence[TaggedSentence]) -> list[list[str]]:
        """Return the right tags, such as "B-PER"."""
        plain = plain_rows(rows, self.tag_set.notation)
        return [self.tag_set.lawful(row.tags) for row in plain]


def _entities(tokens: Sequence[str], tags: Sequence[str]) -> str:
    return "; ".join(
        f"{span.label}: {' '.join(tokens[span.start : span.end])}" for span in entity_spans(tags)
    )


def _table(rows: Iterable[LabelScore]) -> dict[str, dict[str, float]]:
    found = {row.label: row._asdict() for row in rows}
    for figures in found.values():
        del figures["label"]
    return found
