"""How tags of tokens say where entities begin and end, and of what kind they are.

IOB1 (Ramshaw and Marcus 1995; CoNLL-2003) has B only where an entity follows another of its kind,
IOB2 at the beginning of each; BIOES and BMES mark the end, and entities of a single token, too.
Tags without a kind, such as those of word segmentation, are the letters alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

__all__ = [
    "SCHEMES",
    "Scheme",
    "Span",
    "detect_scheme",
    "entity_spans",
    "is_allowed",
    "spans_to_tags",
    "violations",
]

Scheme = Literal["IOB1", "IOB2", "BIOES", "BMES"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_LETTERS = {"IOB1": "OBI", "IOB2": "OBI", "BIOES": "OBIES", "BMES": "OBMES"}
_TAG = re.compile(r"([BIMES])(?:[-_](.+))?", re.DOTALL)


class Span(NamedTuple):
    """An entity: the tokens from `start` up to `end`, which is the first one after it."""

    label: str
    start: int
    end: int


class _Tag(NamedTuple):
    letter: str
    label: str


_OUTSIDE = _Tag("O", "")


def detect_scheme(sentences: Iterable[Sequence[str]]) -> Scheme | None:
    """Return the scheme of sentences of tags, None where most tags are of no entities.

    IOB1 and IOB2 have the same letters; it is the one that fewer tags violate, IOB2 of equals.
    """
    steps = _steps(sentences)
    tags = {tag for _, tag in steps if tag not in (None, "O")}
    letters = {tag.letter for tag in map(_parsed, tags) if tag is not None}
    if 2 * sum(_parsed(tag) is not None for tag in tags) <= len(tags):
        return None
    if "M" in letters:
        return "BMES"
    if letters & {"E", "S"}:
        return "BIOES"
    wrong = {
        scheme: sum(number for step, number in steps.items() if not is_allowed(*step, scheme))
        for scheme in ("IOB2", "IOB1")
    }
    return "IOB1" if wrong["IOB1"] < wrong["IOB2"] else "IOB2"


def is_allowed(before: str | None, after: str | None, scheme: Scheme) -> bool:
    """Whether one tag may follow another; None is the edge of the sentence."""
    left, right = _parsed(before), _parsed(after)
    if left is None or right is None or not {left.letter, right.letter} <= {*_LETTERS[scheme]}:
        return False
    same = left.label == right.label and left is not _OUTSIDE
    if scheme == "IOB1":
        return right.letter != "B" or same
    if scheme == "IOB2":
        return right.letter != "I" or same
    is_open, goes_on = left.letter in "BIM", right.letter in "IME"
    return is_open == goes_on and (same or not is_open)


def violations(tags: Sequence[str], scheme: Scheme) -> list[int]:
    """Return the tokens whose tags violate a scheme; an open end counts for the last one."""
    steps = [None, *tags, None]
    wrong = [i for i, (a, b) in enumerate(pairwise(steps)) if not is_allowed(a, b, scheme)]
    return sorted({min(token, len(tags) - 1) for token in wrong})


def entity_spans(tags: Sequence[str]) -> list[Span]:
    """Return the entities of one sentence in any of the schemes, as the script conlleval has them.

    Tags that violate the scheme are read with good will: an I or E that nothing opens begins an
    entity, and what nothing closes ends with its kind.

    Raises:
        ValueError: a tag is none of an entity.
    """
    spans: list[Span] = []
    start, left = 0, _OUTSIDE
    for token, tag in enumerate([*tags, "O"]):
        right = _parsed(tag)
        if right is None:
            raise ValueError(f"'{tag}' is no tag of an entity, such as B-PER or O")
        cuts = left.letter in "ES" or right.letter in "BSO" or right.label != left.label
        if left is not _OUTSIDE and cuts:
            spans.append(Span(left.label, start, token))
        if left is _OUTSIDE or cuts:
            start = token
        left = right
    return spans


def spans_to_tags(spans: Sequence[Span], length: int, scheme: Scheme) -> list[str]:
    """Write entities that do not overlap as the tags of a sentence of `length` tokens."""
    tags = ["O"] * length
    ends: dict[int, str] = {}  # where an entity has just ended -> of which kind
    for span in sorted(spans, key=lambda span: span.start):
        letters = _letters(span.end - span.start, scheme, ends.get(span.start) == span.label)
        name = f"-{span.label}" if span.label else ""
        tags[span.start : span.end] = [letter + name for letter in letters]
        ends[span.end] = span.label
    return tags


def _letters(size: int, scheme: Scheme, follows_its_kind: bool) -> str:
    if scheme == "IOB1":
        return ("B" if follows_its_kind else "I") + "I" * (size - 1)
    if scheme == "IOB2":
        return "B" + "I" * (size - 1)
    inner = "I" if scheme == "BIOES" else "M"
    return "S" if size == 1 else "B" + inner * (size - 2) + "E"


def _steps(
    sentences: Iterable[Sequence[str]],
) -> Counter[tuple[str | None, str | None]]:
    """Count which tag follows which, the edges of sentences as None."""
    steps: Counter[tuple[str | None, str | None]] = Counter()
    for tags in sentences:
        steps.update(pairwise([None, *tags, None]))
    return steps


@cache
def _parsed(tag: str | None) -> _Tag | None:
    if tag is None or tag == "O":
        return _OUTSIDE
    match = _TAG.fullmatch(tag)
    return None if match is None else _Tag(match[1], match[2] or "")
