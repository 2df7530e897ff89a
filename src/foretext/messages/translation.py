"""Stored sentences in the reader's language.

The files of a run keep sentences: a verdict, a warning, why a candidate was left out. They are
translated by their form. Each message of the catalogue is a pattern, whose placeholders match any
text; what they matched is translated, too, unless it is a name or a text of the user. A sentence
of several messages is translated part by part. A text that matches no message stays as it is.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from foretext.messages.catalogue import (
    LANGUAGES,
    Language,
    filled,
    in_language,
    language,
    messages_of,
)
from foretext.messages.joining import commas, listed

__all__ = ["TRANSLATED", "translated"]

TRANSLATED = ("names", "counts", "findings")
FEWEST_LETTERS = 1  # of a pattern beside its placeholders
ANY = r"(?:(?!; |；|。|\. [A-Z-]).)+?"  # what a placeholder stands for: no end of a clause
FIGURES = ("value", "first", "second", "majority", "low", "high", "top", "error", "rate", "epochs",
           "number", "minn", "maxn")  # fmt: skip
DIGITS = r"(?:[−+-]?(?:[\d.,]+(?:e[+-]?\d+)?|inf|nan)(?: ?%)?)"
FIGURE = rf"{DIGITS}(?: ?[(（].+?[)）])?"  # one as text, with its interval
SHORT = r"[^\W\d][^ :：]*(?: [^\W\d][^ :：]*){0,2}"  # a name of a few words
NUMBER = DIGITS  # what one with a numeric format stands for
MOST_LETTERS = 1000  # of a text; a longer one is no sentence of ours
MOST_PIECES = 12  # sentences and clauses, likewise
_ENDS = re.compile(r"(; |；|\. (?=[A-Z-])|。|[.:：]$)")
KINDS = {
    **dict.fromkeys(FIGURES, FIGURE),
    "figure": SHORT,
    "part": SHORT,
    "values": rf"\d{ANY}",
    "where": rf"(?:with |有|throughout|始终|\d)(?:{ANY})?",
}
KEPT = frozenset(
    {"bases", "command", "entities", "example", "few", "file", "kind", "loser", "many", "name"}
    | {"path", "phrase", "reason", "scheme", "setting", "which", "winner", "word"}
)  # placeholders of names, and of texts of the user
_QUOTES = ("'", "“", "`")  # before a placeholder whose text is kept, too
_STOPS = (".", "。", ":", "：")
_NUMBER = re.compile(NUMBER)
_COMMA = re.compile(", | and |，|、| ?和 ?")
_OTHERS = re.compile(r"\d")  # "2 others", which stands at the end of names
_AND = re.compile(" and |、|和")
_WRITTEN: dict[Language, dict[str, str]] = {
    "en": {"；": "; ", "。": ". ", "：": ":"},
    "zh": {"; ": "；", ". ": "。", ".": "。", ":": "："},
}


def translated(text: str) -> str:
    """Return a stored text in the language of here; one that is not of the catalogue as it is."""
    into = language()
    is_english = into == "en" and text.isascii()  # no Chinese message is
    return text if is_english or len(text) > MOST_LETTERS else _translated(text, into)


@lru_cache(maxsize=4096)
def _translated(text: str, into: Language) -> str:
    known = _known(text, into)
    if known is not None:
        return known
    pieces = _ENDS.split(text)
    said, ends = pieces[::2], [*pieces[1::2], ""]
    if len(said) == 1:
        return _listed(text, into)
    if len(said) > MOST_PIECES:
        return text
    found_parts, start, known_any = [], 0, False
    while start < len(said):
        found, stop = _longest(said, ends, start, into)
        known_any = known_any or bool(found)
        found_parts.append(said[start] + ends[start] if found is None else found)
        start = stop + 1
    return "".join(found_parts).rstrip() if known_any else text


def _listed(text: str, into: Language) -> str:
    """Return several known texts or numbers as a list, and any other text as it is."""
    parts = _COMMA.split(text)
    found = [part if _NUMBER.fullmatch(part) else _known(part, into) for part in parts]
    if len(parts) < 2 or None in found:
        return text
    with in_language(into):
        return (listed if _AND.search(text) else commas)(filter(None, found))


def _longest(
    said: list[str], ends: list[str], start: int, into: Language
) -> tuple[str | None, int]:
    """Return the longest run of pieces from one on that is known, translated, and its last one."""
    written = _WRITTEN[into]
    for stop in reversed(range(start, len(said))):
        run = "".join(each + end for each, end in zip(said[start:stop], ends[start:], strict=False))
        run, end = run + said[stop], ends[stop]
        if end.strip() in _STOPS and (known := _known(run + end.strip(), into)) is not None:
            return known + (" " if into == "en" else ""), stop
        if (known := _known(run, into)) is not None:
            return known + written.get(end, end), stop
    listed = _listed(said[start], into)
    if listed == said[start]:
        return None, start
    return listed + written.get(ends[start], ends[start]), start


def _known(text: str, into: Language) -> str | None:
    """Return a text that is one message of another language, or of this one."""
    if text in _texts(into) or not text.strip():
        return text
    capital = f"{text[:1].lower()}{text[1:]}"
    for source in LANGUAGES:
        if source == into:
            continue
        for form in _forms(source, into):
            if (text.endswith(_STOPS) and not form.has_stop) or not form.may_be(text):
                continue
            match = form.pattern.fullmatch(text) or form.pattern.fullmatch(capital)
            if match is not None:
                values = {
                    name: _As(value if name in form.kept else _filling(name, value.strip(), into))
                    for name, value in match.groupdict().items()
                }
                return filled(form.translated(match.groupdict()), values, into)
    return None


def _filling(name: str, value: str, into: Language) -> str:
    """Return the text of a placeholder, translated; of names only how many others there are."""
    if name != "names":
        return _translated(value, into)
    with in_language(into):
        return listed(
            _known(each, into) or each if _OTHERS.search(each) else each
            for each in _COMMA.split(value)
        )


class _As(str):
    """A text that stands in a placeholder as it is, whatever the placeholder's format."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return str(self)


class _Form(NamedTuple):
    """A message as a pattern, and the same message in the other language."""

    letters: int
    has_stop: bool  # whether it is a whole sentence, or more
    pattern: re.Pattern[str]
    parts: tuple[str, ...]  # of it, beside the first letter, that are no placeholders
    kept: frozenset[str]  # placeholders of names, and of texts of the user
    translation: str
    many: str | None  # the translation of several, where the source says one and several alike

    def translated(self, values: Mapping[str, str]) -> str:
        """Return the message in the other language, of one or of several as the text counts."""
        number = values.get("number", "1")
        counts_one = number == "1" and len(_COMMA.split(values.get("names", ""))) == 1
        return self.translation if self.many is None or counts_one else self.many

    def may_be(self, text: str) -> bool:
        """Whether all of its own parts stand in a text, which is soon seen."""
        return all(part in text for part in self.parts)


@cache
def _texts(of: Language) -> frozenset[str]:
    """Return the messages of a language that have no placeholders."""
    return frozenset(text for area in TRANSLATED for text in messages_of(area, of).values())


@cache
def _forms(source: Language, into: Language) -> tuple[_Form, ...]:
    """Return the messages of one language, those with most letters of their own first."""
    found = [
        _Form(
            letters,
            text.endswith(_STOPS),
            re.compile(pattern, re.DOTALL),
            parts,
            kept,
            messages_of(area, into)[name],
            _of_several(area, name, source, into),
        )
        for area in TRANSLATED
        for name, text in messages_of(area, source).items()
        if not (name.endswith("many") and _of_several(area, name, source, into))  # that of one does
        for pattern, parts, letters, kept in [_pattern(text)]
        if letters >= FEWEST_LETTERS
    ]
    return tuple(sorted(found, key=lambda form: -form.letters))


def _of_several(area: str, name: str, source: Language, into: Language) -> str | None:
    """Return the translation of several, where the source has the same text for one and several."""
    stem = name.removesuffix("one").removesuffix("many")
    messages = messages_of(area, source)
    one, many = messages.get(f"{stem}one"), messages.get(f"{stem}many")
    return messages_of(area, into)[f"{stem}many"] if one is not None and one == many else None


def _pattern(message: str) -> tuple[str, tuple[str, ...], int, frozenset[str]]:
    """Return a message as a regular expression, its own parts, their letters, and what is kept."""
    pattern, parts, seen, kept = "", [], set(), set[str]()
    for text, name, form, _ in string.Formatter().parse(message):
        pattern += re.escape(text)
        parts.append(text)
        if name is not None:
            kind = NUMBER if form else KINDS.get(name, ANY)
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{kind})"
            seen.add(name)
            if name in KEPT or text.endswith(_QUOTES):
                kept.add(name)
    letters = sum(len(part.strip()) for part in parts)
    parts[0] = parts[0][1:]  # a text may begin with a capital
    return pattern, tuple(filter(None, parts)), letters, frozenset(kept)
