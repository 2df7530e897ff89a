"""How tags of tokens say where entities begin and end, and of what kind they are.

IOB1 (Ramshaw and Marcus 1995; CoNLL-2003) has B only where an entity follows another of its kind,
IOB2 at the beginning of each; IOE1 and IOE2 do so with E for the ends (Tjong Kim Sang and Veenstra
1999). BIOES (or IOBES) and BMES mark the beginning, the end, and entities of a single token; BILOU
(BILUO, BIOUL) writes L for the last token and U for the only one (Ratinov and Roth 2009), BMEWO
writes W for it. Tags without a kind, such as those of word segmentation, are the letters alone.

Tags are written "B-PER" here; `foretext.metrics.tag_forms` reads other forms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

__all__ = [
    "LETTERS",
    "SCHEMES",
    "Scheme",
    "Span",
    "detect_scheme",
    "entity_spans",
    "is_allowed",
    "spans_to_tags",
    "tag_letter",
    "tag_mark",
    "violations",
]

Scheme = Literal["IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "BMES", "BILOU", "BMEWO"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

LETTERS: Mapping[Scheme, str] = {
    "IOB2": "BIO",
    "IOB1": "IOB",
    "IOE2": "IOE",
    "IOE1": "IOE",
    "BIOES": "BIOES",
    "BMES": "BMESO",
    "BILOU": "BILOU",
    "BMEWO": "BMEWO",
}
_MARKS = {  # of schemes with both ends: within, last, single
    "BIOES": ("I", "E", "S"),
    "BMES": ("M", "E", "S"),
    "BILOU": ("I", "L", "U"),
    "BMEWO": ("M", "E", "W"),
}
_ONE_EDGE: Mapping[str, tuple[Scheme, ...]] = {"BI": ("IOB2", "IOB1"), "IE": ("IOE2", "IOE1")}
_SLIPS = 0.01  # share of letters of another scheme that are taken for wrong tags
_ROLES = {"M": "I", "L": "E", "U": "S", "W": "S"}  # letters that mean the same as those of BIOES
_TAG = re.compile(r"([BIMESLUW])(?:[-_](.+))?", re.DOTALL)


class Span(NamedTuple):
    """An entity: the tokens from `start` up to `end`, which is the first one after it."""

    label: str
    start: int
    end: int


class _Tag(NamedTuple):
    letter: str
    label: str

    @property
    def role(self) -> str:
        """The letter that BIOES has for it."""
        return _ROLES.get(self.letter, self.letter)


_OUTSIDE = _Tag("O", "")


def detect_scheme(sentences: Iterable[Sequence[str]]) -> Scheme | None:
    """Return the scheme of sentences of tags, None where most tags are of no entities.

    Of the schemes that have most of the letters, it is the one that fewest tags violate, of equals
    IOB2 before IOB1, and IOE2 before IOE1.
    """
    steps = _steps(sentences)
    counts = Counter[str]()
    for (_, tag), number in steps.items():
        if tag not in (None, "O"):
            counts[str(tag)] += number
    parsed = {tag: _parsed(tag) for tag in counts}
    if 2 * sum(found is not None for found in parsed.values()) <= len(parsed):
        return None
    letters = Counter[str]()
    for tag, number in counts.items():
        if (found := parsed[tag]) is not None:
            letters[found.letter] += number
    has_kinds = any(found is not None and found.label for found in parsed.values())
    if not has_kinds and not any({*letters} <= {*known} for known in LETTERS.values()):
        return None  # single letters of something else, such as parts of speech
    is_segmentation = not has_kinds and not any(after == "O" for _, after in steps)
    known = _candidates(letters, is_segmentation=is_segmentation)
    return min(known, key=lambda scheme: _num_wrong(steps, scheme))


def _candidates(letters: Counter[str], *, is_segmentation: bool) -> list[Scheme]:
    """Return the schemes that have most of the letters, and that these letters speak for."""
    kinds: tuple[Scheme, ...] = ("BIOES", "BMES", "BILOU", "BMEWO")
    if is_segmentation:  # words of more than two characters may be missing
        kinds = ("BMES", "BIOES", "BILOU", "BMEWO")
    if {*letters} == {"E"}:
        return ["IOE2"]
    if {*letters} == {"I", "E"}:
        return ["IOE2", "IOE1"]
    # Where ends are marked, each entity has an end, so that a few such letters are slips.
    for family, schemes in _ONE_EDGE.items():
        others = sum(number for letter, number in letters.items() if letter not in family)
        if others < _SLIPS * letters.total():
            return [*schemes]
    held = {kind: sum(letters[letter] for letter in LETTERS[kind]) for kind in kinds}
    most = max(held.values())
    return [next(kind for kind in kinds if held[kind] == most)]


def _num_wrong(steps: Counter[tuple[str | None, str | None]], scheme: Scheme) -> int:
    return sum(number for step, number in steps.items() if not is_allowed(*step, scheme))


def is_allowed(before: str | None, after: str | None, scheme: Scheme) -> bool:
    """Whether one tag may follow another; None is the edge of the sentence."""
    left, right = _parsed(before), _parsed(after)
    if left is None or right is None or not {left.letter, right.letter} <= {*LETTERS[scheme]}:
        return False
    same = left.label == right.label and _OUTSIDE not in (left, right)
    if scheme == "IOB1":
        return right.letter != "B" or same
    if scheme == "IOB2":
        return right.letter != "I" or same
    if scheme == "IOE1":
        return left.letter != "E" or same
    if scheme == "IOE2":
        return left.letter != "I" or same
    is_open, goes_on = left.role in "BI", right.role in "IE"
    return is_open == goes_on and (same or not is_open)


def tag_letter(tag: str) -> str | None:
    """Return the letter of a tag, "O" outside of entities, None where it is of no entity."""
    found = _parsed(tag)
    return None if found is None else found.letter


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
        cuts = left.role in "ES" or right.role in "BSO" or right.label != left.label
        if left is not _OUTSIDE and cuts:
            spans.append(Span(left.label, start, token))
        if left is _OUTSIDE or cuts:
            start = token
        left = right
    return spans


def tag_mark(tag: str) -> tuple[str, str] | None:
    """Return the letter that BIOES has for a tag, and its kind; None: it is outside of entities."""
    found = _parsed(tag)
    return None if found is None or found is _OUTSIDE else (found.role, found.label)


def spans_to_tags(spans: Sequence[Span], length: int, scheme: Scheme) -> list[str]:
    """Write entities that do not overlap as the tags of a sentence of `length` tokens."""
    tags = ["O"] * length
    for span, touches in _with_neighbours(spans, scheme):
        name = f"-{span.label}" if span.label else ""
        letters = _letters(span.end - span.start, scheme, touches)
        tags[span.start : span.end] = [letter + name for letter in letters]
    return tags


def _with_neighbours(spans: Sequence[Span], scheme: Scheme) -> Iterator[tuple[Span, bool]]:
    """Yield each span, and whether it touches one of its kind: before it, of IOE1 after it."""
    ends = {(span.label, span.end) for span in spans}
    starts = {(span.label, span.start) for span in spans}
    for span in spans:
        after = scheme == "IOE1"
        yield span, (span.label, span.end) in starts if after else (span.label, span.start) in ends


def _letters(size: int, scheme: Scheme, touches_its_kind: bool) -> str:
    if scheme == "IOB1":
        return ("B" if touches_its_kind else "I") + "I" * (size - 1)
    if scheme == "IOB2":
        return "B" + "I" * (size - 1)
    if scheme in ("IOE1", "IOE2"):
        return "I" * (size - 1) + ("E" if touches_its_kind or scheme == "IOE2" else "I")
    inner, last, single = _MARKS[scheme]
    return single if size == 1 else "B" + inner * (size - 2) + last


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
