"""Unicode normal forms (Unicode Standard Annex 15), and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

__all__ = ["INVISIBLE", "Form", "Normalized", "normalize", "normalized", "without_invisible"]

Form = Literal["none", "NFC", "NFKC"]

# Characters within words that have no width: soft hyphen, word joiner, byte order mark, and what
# asks for a picture or a plain sign. Joiners (U+200C, U+200D), which tell Persian and Indic words
# apart, and the blank without width (U+200B), which separates words, are none of them.
INVISIBLE = "\u00ad\u2060\ufeff\ufe0e\ufe0f"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def normalize(text: str, form: Form) -> str:
    """Return `text` in the normal `form`.

    Most text is in NFC already and is returned unchanged; otherwise only the lines that are not are
    rewritten, which is correct because nothing composes across a line end.
    """
    if form == "none" or text.isascii() or unicodedata.is_normalized(form, text):
        return text
    return "\n".join(
        line if unicodedata.is_normalized(form, line) else unicodedata.normalize(form, line)
        for line in text.split("\n")
    )


class Normalized(NamedTuple):
    """A text in a normal form, and which part of the text as it was given each character is of."""

    text: str
    starts: Sequence[int]  # where the part of each character begins
    ends: Sequence[int]  # and where it ends

    @property
    def is_as_given(self) -> bool:
        """Whether it is the text as it was given."""
        return isinstance(self.starts, range)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return what a span of the normal form is in the text as it was given."""
        if start >= end:
            place = self.starts[start] if start < len(self.starts) else (*self.ends[-1:], 0)[0]
            return place, place
        return self.starts[start], self.ends[end - 1]


def normalized(text: str, form: Form) -> Normalized:
    """Return `text` in the normal `form`, with the places of its characters."""
    if normalize(text, form) == text:
        return Normalized(text, range(len(text)), range(1, len(text) + 1))
    found, starts, ends = [], list[int](), list[int]()
    for start, end in _parts(text, form):
        part = normalize(text[start:end], form)
        found.append(part)
        starts += [start] * len(part)
        ends += [end] * len(part)
    return Normalized("".join(found), starts, ends)


def _parts(text: str, form: Form) -> Iterator[tuple[int, int]]:
    """Yield the shortest parts of a text that are normalised separately: letters with marks."""
    start = 0
    for place in range(1, len(text)):
        if _stands_apart(text[start:place], text[place], form):
            yield start, place
            start = place
    if text:
        yield start, len(text)


def _stands_apart(before: str, character: str, form: Form) -> bool:
    """Whether a character changes nothing before it, and nothing after it can change that."""
    if unicodedata.combining(character):
        return False
    return normalize(before + character, form) == normalize(before, form) + normalize(
        character, form
    )


def without_invisible(text: str) -> str:
    """Return `text` without the characters that have no width, which words are joined at."""
    return text if text.isascii() else _INVISIBLE.sub("", text)
