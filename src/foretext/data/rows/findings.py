"""What a person should know of labelled rows before training, one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Literal, Protocol

from foretext.corpus.findings import Place, Problem
from foretext.corpus.problems import SEVERITIES
from foretext.corpus.wrong_encoding import encoding_doubt
from foretext.data.rows.tagged import TaggedSentence
from foretext.messages import message
from foretext.metrics import detect_notation, violations

__all__ = [
    "Row",
    "counted_doubt",
    "doubt",
    "find_row_problems",
    "find_tag_problems",
    "find_unseen_labels",
    "gravest_first",
    "problem_of",
    "share_of",
]

_ENOUGH = 10  # rows from which a label of one row alone is strange in the first line
_FEW = 5  # rows of a label: too few to learn it from
_MOST = 0.8  # share of one label from which accuracy says little
_MANY = 0.01  # share from which repetition is worth a warning

_SAMPLE = 1000  # rows that show a wrong encoding

Severity = Literal["error", "warning", "note"]


class Placed(Protocol):
    """A row of a file."""

    @property
    def place(self) -> str:
        """``file:line``."""
        ...


class Row(Placed, Protocol):
    """What labelled texts, pairs and sentences have in common."""

    @property
    def text(self) -> str:
        """By which rows are compared."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the row, or a tag a token."""
        ...


def find_row_problems(train: Sequence[Row], test: Sequence[Row] = ()) -> list[Problem]:
    """Return the problems of labelled texts or pairs, the gravest first."""
    found = [*_labels(train), *_header(train), *_empty([*train, *test]), *_repeats(train)]
    found += _encoding(train)
    return gravest_first([*found, *_unseen(train, test), *_overlap(train, test)])


def find_tag_problems(
    train: Sequence[TaggedSentence], test: Sequence[TaggedSentence] = ()
) -> list[Problem]:
    """Return the problems of tagged sentences, the gravest first."""
    every = [*train, *test]
    found = [*_violations(every), *_misfits(every), *_repeats(train), *_encoding(train)]
    return gravest_first([*found, *_unseen(train, test), *_overlap(train, test)])


def find_unseen_labels(train: Sequence[Row], valid: Sequence[Row]) -> list[Problem]:
    """Return which labels of held-out rows are never learned, at most one problem."""
    known = {label for row in train for label in row.labels}
    unseen = [row for row in valid if not known.issuperset(row.labels)]
    if not unseen:
        return []
    label = min(set(unseen[0].labels) - known)
    sentence = doubt("unseen_valid", number=len(unseen), total=len(valid), label=label)
    return [problem_of("warning", sentence, unseen[0])]


def _labels(rows: Sequence[Row]) -> Iterator[Problem]:
    counts = Counter(label for row in rows for label in row.labels)
    if len(counts) == 1 and counts.total() == len(rows):
        yield problem_of(
            "error",
            doubt("one_label", number=len(rows), label=next(iter(counts))),
        )
        return
    for label, number in counts.most_common(1):
        if number >= _MOST * len(rows):
            yield problem_of("warning", doubt("most", rate=number / len(rows), label=label))
    if few := [label for label, number in counts.items() if number < _FEW]:
        yield problem_of(
            "note",
            counted_doubt("few", few, least=_FEW, label=few[0], count=counts[few[0]]),
        )


def _header(rows: Sequence[Row]) -> Iterator[Problem]:
    """Name a first line whose label no other row has; columns that have numbers include it."""
    if len(rows) < _ENOUGH or not rows[0].place.endswith(":1"):
        return
    first = set(rows[0].labels)
    if first and not any(first & set(row.labels) for row in rows[1:]):
        label = min(first)
        yield problem_of(
            "warning",
            doubt("header", label=label),
            rows[0],
        )


def _empty(rows: Sequence[Row]) -> Iterator[Problem]:
    if empty := [row for row in rows if not row.text.strip()]:
        yield problem_of(
            "warning",
            counted_doubt("empty", empty),
            empty[0],
        )


def _encoding(rows: Sequence[Row]) -> Iterator[Problem]:
    doubt = encoding_doubt("\n".join(row.text for row in rows[:_SAMPLE]))
    if doubt is not None:
        yield problem_of("warning", doubt, rows[0])


def _repeats(rows: Sequence[Row]) -> Iterator[Problem]:
    seen: dict[str, set[tuple[str, ...]]] = {}
    again, otherwise = [], []
    for row in rows:
        labels = seen.setdefault(_key(row), set())
        if labels:
            again.append(row)
        if labels - {row.labels}:
            otherwise.append(row)
        labels.add(row.labels)
    if again:
        yield problem_of(
            "warning" if len(again) >= _MANY * len(rows) else "note",
            doubt("repeat", **share_of(again, rows), other=len(otherwise)),
            (otherwise or again)[0],
        )


def _unseen(train: Sequence[Row], test: Sequence[Row]) -> Iterator[Problem]:
    known = {label for row in train for label in row.labels}
    strange = [row for row in test if not set(row.labels) <= known]
    if strange:
        labels = sorted({label for row in strange for label in row.labels} - known)
        yield problem_of(
            "warning",
            counted_doubt("unseen_test", strange, label=labels[0]),
            strange[0],
        )


def _overlap(train: Sequence[Row], test: Sequence[Row]) -> Iterator[Problem]:
    known: dict[str, set[tuple[str, ...]]] = {}
    for row in train:
        known.setdefault(_key(row), set()).add(row.labels)
    if both := [row for row in test if _key(row) in known]:
        same = sum(row.labels in known[_key(row)] for row in both)
        yield problem_of(
            "warning",
            doubt("overlap", **share_of(both, test), same=same),
            both[0],
        )


def _violations(sentences: Sequence[TaggedSentence]) -> Iterator[Problem]:
    notation = detect_notation(sentence.tags for sentence in sentences)
    if notation is None:
        yield from _numbers(sentences)
        return
    wrong = [
        (each, token)
        for each in sentences
        for token in violations(notation.read(each.tags), notation.scheme)
    ]
    if wrong:
        sentence, token = wrong[0]
        yield Problem(
            severity="warning",
            sentence=counted_doubt("tags", wrong, scheme=notation.name, tag=sentence.tags[token]),
            place=Place(file=sentence.file, line=sentence.lines[token]),
        )


def _misfits(sentences: Sequence[TaggedSentence]) -> Iterator[Problem]:
    """Name the entities of raw texts that tags of tokens cannot say."""
    found = [(each, misfit) for each in sentences for misfit in each.misfits or ()]
    if lost := [(each, misfit) for each, misfit in found if misfit.is_lost]:
        row, (_, entity, other) = lost[0]
        yield problem_of(
            "warning",
            counted_doubt("lost", lost, entity=entity, other=other),
            row,
        )
    if unclear := [each for each in sentences if each.raw is not None and each.raw.is_ambiguous]:
        yield problem_of(
            "warning",
            counted_doubt("unclear", unclear),
            unclear[0],
        )
    if widened := [(each, misfit) for each, misfit in found if not misfit.is_lost]:
        row, (_, entity, other) = widened[0]
        yield problem_of(
            "warning",
            counted_doubt("widened", widened, entity=entity, other=other),
            row,
        )


def _numbers(sentences: Sequence[TaggedSentence]) -> Iterator[Problem]:
    """Name tags that are ids of classes, of which nobody can tell what an entity is."""
    tags = {tag for sentence in sentences for tag in sentence.tags}
    if tags and all(map(str.isdecimal, tags)):
        yield problem_of(
            "note",
            doubt("numbers"),
        )


def problem_of(severity: Severity, sentence: str, row: Placed | None = None) -> Problem:
    """Return a problem with the place of a row that shows it."""
    if row is None:
        return Problem(severity=severity, sentence=sentence)
    file, _, line = row.place.rpartition(":")
    return Problem(severity=severity, sentence=sentence, place=Place(file=file, line=int(line)))


def gravest_first(found: Iterable[Problem]) -> list[Problem]:
    """Return problems by their severity."""
    return sorted(found, key=lambda problem: SEVERITIES.index(problem.severity))


def _key(row: Row) -> str:
    """Return the text but for white space."""
    return " ".join(row.text.split())


def share_of(found: Sized, rows: Sized) -> dict[str, Any]:
    """Return what sentences say of some of the rows: how many, of how many, and the share."""
    return {"number": len(found), "total": len(rows), "rate": len(found) / len(rows)}


def doubt(key: str, **values: object) -> str:
    """Return a sentence on rows by the name of its message."""
    return message(f"findings.doubt.{key}", **values)


def counted_doubt(key: str, found: Sequence[object], **values: object) -> str:
    """Return the same of one or several of something."""
    return doubt(f"{key}_{'one' if len(found) == 1 else 'many'}", number=len(found), **values)
