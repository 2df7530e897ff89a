"""Tags as answers: how good they are by entities, as conlleval counts, or by tokens.

Tags of sentences beside the right ones: confused entities, and the sentences with most errors. An
entity that was found has a partner: the one with the same bounds, else the one that overlaps it
most. Right entities without a partner were missed, given ones were invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from foretext.data.rows import TaggedSentence
from foretext.heads.tag_set import TagSet
from foretext.messages import message
from foretext.metrics import Span, classification_scores, entity_spans, tagging_scores
from foretext.metrics.classification import LabelScore
from foretext.metrics.paired import Tallies, f1_tallies, share_tallies
from foretext.tasks.answers import FEWEST, Answers, ShownRow, one_answer, shown_rows
from foretext.tasks.confusion import confusion
from foretext.tasks.tagging.rows import plain_rows

__all__ = ["TagAnswers", "kind_counts", "tag_findings"]

NO_ENTITY = "no entity"
MOST_SENTENCES = 30
MOST_TOKENS = 80  # of a sentence that are shown
BEFORE = 20  # tokens before the first error, where a sentence is longer

Tags = Sequence[str]
Match = tuple[Span | None, Span | None]  # right, given


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
        return message("findings.degenerate.no_entity", sentences=len(gold), entities=number)

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


def tag_findings(
    rows: Sequence[TaggedSentence],
    gold: Sequence[Tags],
    given: Sequence[Tags],
    *,
    of_entities: bool,
) -> dict[str, Any]:
    """Return confusions of kinds of entities or of tags, and the sentences with most errors.

    Args:
        rows: N sentences.
        gold: the right tags of each.
        given: the tags of each that were answered.
        of_entities: whether tags say where entities begin and end.
    """
    wrong = _worst(rows, gold, given, of_entities)
    if not of_entities:
        right, answered = [*chain(*gold)], [*chain(*given)]
        return {**wrong, **confusion(right, answered, sorted({*right}))}
    matches = [
        match
        for right, answered in zip(gold, given, strict=True)
        for match in _matches(entity_spans(right), entity_spans(answered))
    ]
    sides = [[_kind(match[side]) for match in matches] for side in (0, 1)]
    kinds = sorted({*chain(*sides)} - {NO_ENTITY})
    return {
        **wrong,
        **confusion(sides[0], sides[1], [*kinds, NO_ENTITY]),
        "tables": [
            {
                "title": "What became of entities",
                "hint": "An entity is right when its bounds and its kind are.",
                "rows": [_fates(kind, matches) for kind in kinds],
            }
        ],
    }


def kind_counts(sentences: Sequence[Tags], *, of_entities: bool) -> Counter[str]:
    """Return how many entities of each kind there are, or of each tag."""
    if not of_entities:
        return Counter(chain(*sentences))
    return Counter(_kind(span) for tags in sentences for span in entity_spans(tags))


def _matches(right: Sequence[Span], given: Sequence[Span]) -> Iterator[Match]:
    """Return entities with their partners, None for those that have none."""
    pairs = [(a, b) for a, b in product(right, given) if _overlap(a, b) > 0]
    pairs.sort(key=lambda pair: (pair[0][1:] != pair[1][1:], -_overlap(*pair)))
    taken: set[tuple[str, Span]] = set()
    for a, b in pairs:
        if not taken & {("right", a), ("given", b)}:
            taken |= {("right", a), ("given", b)}
            yield a, b
    yield from ((span, None) for span in right if ("right", span) not in taken)
    yield from ((None, span) for span in given if ("given", span) not in taken)


def _overlap(a: Span, b: Span) -> int:
    return min(a.end, b.end) - max(a.start, b.start)


def _kind(span: Span | None) -> str:
    return NO_ENTITY if span is None else span.label or "entity"


def _fates(kind: str, matches: Sequence[Match]) -> dict[str, Any]:
    """Return what became of the entities of a kind, and how many were invented."""
    fates = Counter(_fate(*match) for match in matches if _kind(match[0]) == kind)
    invented = sum(right is None and _kind(given) == kind for right, given in matches)
    names = ("right", "other kind", "other bounds", "both wrong", "missed")
    return {"kind": kind, **{name: fates[name] for name in names}, "invented": invented}


def _fate(right: Span | None, given: Span | None) -> str:
    assert right is not None
    if given is None:
        return "missed"
    if right == given:
        return "right"
    if right[1:] == given[1:]:
        return "other kind"
    return "other bounds" if right.label == given.label else "both wrong"


def _worst(
    rows: Sequence[TaggedSentence], gold: Sequence[Tags], given: Sequence[Tags], of_entities: bool
) -> dict[str, Any]:
    counts = [
        sum(a != b for a, b in zip(right, answered, strict=True))
        for right, answered in zip(gold, given, strict=True)
    ]
    worst = sorted((place for place, count in enumerate(counts) if count), key=lambda i: -counts[i])
    return {
        "num_errors": sum(counts),
        "num_wrong_sentences": len(worst),
        "sentences": [
            {
                "errors": counts[place],
                **_shown(rows[place], gold[place], given[place], of_entities),
            }
            for place in worst[:MOST_SENTENCES]
        ],
    }


def _shown(row: TaggedSentence, right: Tags, given: Tags, of_entities: bool) -> dict[str, Any]:
    """Return the tokens around the first error, and the entities among them."""
    first = next(i for i, (a, b) in enumerate(zip(right, given, strict=True)) if a != b)
    start = 0 if len(right) <= MOST_TOKENS else max(first - BEFORE, 0)
    shown = slice(start, start + MOST_TOKENS)
    return {
        "tokens": list(row.tokens[shown]),
        "right": list(right[shown]),
        "given": list(given[shown]),
        "place": row.place,
        **({"spans": _spans(right[shown], given[shown])} if of_entities else {}),
    }


def _spans(right: Tags, given: Tags) -> dict[str, list[list[Any]]]:
    """Return kind, first token and the first token after it, of entities on either side."""
    sides = {"right": right, "given": given}
    return {
        side: [[_kind(span), span.start, span.end] for span in entity_spans(tags)]
        for side, tags in sides.items()
    }
