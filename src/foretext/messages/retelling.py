"""What was said and stored, said again in the reader's language.

Files of a run keep sentences as they were said: a verdict, a warning, why a candidate was left out.
A reader of another language finds them by their form. A message of the catalogue is a pattern, its
placeholders stand for any text; what stood there is told again, too. A sentence of several messages
is told part by part. What the catalogue does not know stays as it is.
"""

from __future__ import annotations

import re
import string
from functools import cache, lru_cache
from typing import NamedTuple

from foretext.messages.catalogue import LANGUAGES, Language, language, messages_of

__all__ = ["RETOLD", "retold"]

RETOLD = ("names", "counts", "findings")
FEWEST_LETTERS = 2  # of a pattern beside its placeholders
ANY = r"(?:(?!; |；|。|\. [A-Z]).)+?"  # what a placeholder stands for: no end of a clause
NUMBER = r"[−+-]?[\d.,]+(?: ?%)?"  # what one with a numeric format stands for
MOST_LETTERS = 4000  # of a text; a longer one is no sentence of ours
_ENDS = re.compile(r"(; |；|\. (?=[A-Z])|。|[.:：]$)")
_WRITTEN: dict[Language, dict[str, str]] = {
    "en": {"；": "; ", "。": ". ", "：": ":"},
    "zh": {"; ": "；", ". ": "。", ".": "。", ":": "："},
}


def retold(text: str) -> str:
    """Return a stored text in the language of here; one that is not of the catalogue as it is."""
    return text if len(text) > MOST_LETTERS else _retold(text, language())


@lru_cache(maxsize=4096)
def _retold(text: str, into: Language) -> str:
    known = _known(text, into)
    if known is not None:
        return known
    pieces = _ENDS.split(text)
    said, ends = pieces[::2], [*pieces[1::2], ""]
    if len(said) == 1:
        return text
    told, start = [], 0
    while start < len(said):
        found, stop = _longest(said, ends, start, into)
        told.append(found + _WRITTEN[into].get(ends[stop], ends[stop]))
        start = stop + 1
    return "".join(told).rstrip()


def _longest(said: list[str], ends: list[str], start: int, into: Language) -> tuple[str, int]:
    """Return the longest run of pieces from one on that is known, told again, and its last one."""
    for stop in reversed(range(start, len(said))):
        run = "".join(each + end for each, end in zip(said[start:stop], ends[start:], strict=False))
        known = _known(run + said[stop], into)
        if known is not None:
            return known, stop
    return said[start], start


def _known(text: str, into: Language) -> str | None:
    """Return a text that is one message of another language, or of this one."""
    if text in _texts(into) or not text.strip():
        return text
    for source in LANGUAGES:
        if source == into:
            continue
        for form in _forms(source, into):
            if (match := form.pattern.fullmatch(text)) is not None:
                values = {name: _retold(value, into) for name, value in match.groupdict().items()}
                return form.told.format_map({name: _As(value) for name, value in values.items()})
    return None


class _As(str):
    """A text that stands in a placeholder as it is, whatever the placeholder's format."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return str(self)


class _Form(NamedTuple):
    """A message as a pattern, and the same message in the language to tell it in."""

    letters: int
    pattern: re.Pattern[str]
    told: str


@cache
def _texts(of: Language) -> frozenset[str]:
    """Return the messages of a language that have no placeholders."""
    return frozenset(text for area in RETOLD for text in messages_of(area, of).values())


@cache
def _forms(source: Language, into: Language) -> tuple[_Form, ...]:
    """Return the messages of one language, those with most letters of their own first."""
    found = [
        _Form(letters, re.compile(pattern, re.DOTALL), messages_of(area, into)[name])
        for area in RETOLD
        for name, text in messages_of(area, source).items()
        for pattern, letters in [_pattern(text)]
        if letters >= FEWEST_LETTERS
    ]
    return tuple(sorted(found, key=lambda form: -form.letters))


def _pattern(message: str) -> tuple[str, int]:
    """Return a message as a regular expression, and how many letters it has of its own."""
    parts, letters, seen = [], 0, set()
    for text, name, form, _ in string.Formatter().parse(message):
        parts.append(re.escape(text))
        letters += len(text.strip())
        if name is not None:
            kind = NUMBER if form else ANY
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{kind})")
            seen.add(name)
    return "".join(parts), letters
