"""The forms that people write tags in: ``B-PER``, ``B_PER``, ``PER-B``, ``b-per``, ``PER`` alone.

Letters stand before the kind or after it, in capitals or not. Kinds alone, with O for all other
tokens, are the scheme IO: neighbours of one kind are one entity (Stanford's tagger, Few-NERD).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

from foretext.metrics.tag_schemes import LETTERS, Scheme, detect_scheme, tag_letter

__all__ = ["FORMS", "Notation", "TagForm", "detect_notation", "read_tag", "write_tag"]

TagForm = Literal["B-PER", "B_PER", "PER-B", "PER_B", "b-per", "b_per", "per-b", "per_b", "PER"]
FORMS: tuple[TagForm, ...] = get_args(TagForm)

KINDS_ALONE: TagForm = "PER"
_OUTSIDE_RATE = 0.5  # share of O from which tags without letters are kinds of entities
_LETTER = "[BIMESLUW]"


class Notation(NamedTuple):
    """How a file writes entities: its scheme, and the form of its tags."""

    scheme: Scheme
    form: TagForm

    @property
    def name(self) -> str:
        """The scheme as the field calls it."""
        return "IO" if self.has_kinds_alone else self.scheme

    @property
    def has_kinds_alone(self) -> bool:
        """Whether tags have no letters, so that neighbours of one kind are one entity."""
        return self.form == KINDS_ALONE

    def read(self, tags: Sequence[str]) -> list[str]:
        """Return tags as "B-PER"; those that have another form stay as they are."""
        return list(tags) if self.form == "B-PER" else [read_tag(tag, self.form) for tag in tags]

    def has(self, tag: str) -> bool:
        """Whether a tag is of an entity, with a letter of this scheme."""
        letter = tag_letter(read_tag(tag, self.form))
        return letter is not None and letter in LETTERS[self.scheme]


def detect_notation(sentences: Iterable[Sequence[str]]) -> Notation | None:
    """Return scheme and form of sentences of tags, None where most tags are of no entities."""
    tagged = list(sentences)
    counts = Counter(tag for tags in tagged for tag in tags)
    kinds = counts.keys() - {"O"}
    for form in sorted(FORMS[:-1], key=lambda form: -_num_read(counts, form)):
        if 2 * _num_read(counts, form) <= len(kinds - {"o"}):
            break
        if (scheme := _scheme(tagged, form)) is not None:
            return Notation(scheme, form)
    if kinds and not any(map(str.isdecimal, kinds)) and _are_mostly_outside(counts):
        return Notation("IOB1", KINDS_ALONE)
    return None


def read_tag(tag: str, form: TagForm) -> str:
    """Return a tag as "B-PER", or as it is where it has another form."""
    if form == KINDS_ALONE:
        return tag if tag == "O" else f"I-{tag}"
    letter, kind = _taken_apart(tag, form)
    return tag if not letter else f"{letter}-{kind}" if kind else letter


def write_tag(tag: str, form: TagForm) -> str:
    """Return the tag "B-PER" in a form, or as it is where it is of no entity."""
    letter, _, kind = tag.partition("-")
    if form == "B-PER" or not re.fullmatch("[BIMESLUWO]", letter):
        return tag
    if form == KINDS_ALONE:
        return kind or letter
    letter = letter.lower() if form.islower() else letter
    parts = (kind, letter) if form[-1] in "Bb" else (letter, kind)
    return _separator(form).join(part for part in parts if part)


def _separator(form: TagForm) -> str:
    return "_" if "_" in form else "-"


def _scheme(tagged: Sequence[Sequence[str]], form: TagForm) -> Scheme | None:
    return detect_scheme([read_tag(tag, form) for tag in tags] for tags in tagged)


def _num_read(counts: Counter[str], form: TagForm) -> int:
    """Return how many different tags of entities have a form."""
    return sum(_taken_apart(tag, form)[0] not in ("", "O") for tag in counts)


def _are_mostly_outside(counts: Counter[str]) -> bool:
    return counts["O"] >= _OUTSIDE_RATE * counts.total()


@cache
def _taken_apart(tag: str, form: TagForm) -> tuple[str, str]:
    """Return the letter in capitals and the kind; "" for both where the form is another."""
    if tag == "O" or (tag == "o" and form.islower()):
        return "O", ""
    match = _pattern(form).fullmatch(tag)
    return ("", "") if match is None else (match["letter"].upper(), match["kind"] or "")


@cache
def _pattern(form: TagForm) -> re.Pattern[str]:
    letter = f"(?P<letter>{_LETTER.lower() if form.islower() else _LETTER})"
    separator = _separator(form)
    if form[-1] in "Bb":
        return re.compile(rf"(?:(?P<kind>.+){separator})?{letter}", re.DOTALL)
    return re.compile(rf"{letter}(?:{separator}(?P<kind>.+))?", re.DOTALL)
