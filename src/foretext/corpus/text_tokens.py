"""Split a raw text into tokens with offsets: words, punctuation, characters without blanks.

Roughly the tokens of the CoNLL tasks: punctuation is apart, except within words and numbers
("Anglo-American", "1,000", "U.S.", "J. Smith") and where they repeat ("..."); English
contractions are apart, too ("Brussels" and "'s"). In scripts without blanks each character is one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from foretext.corpus.scripts import WITHOUT_BLANKS, script_of

__all__ = ["TextToken", "character_class", "joined_tokens", "split_text"]

# Over classes of characters: a and A, letters, small and capital; 0, a digit; +, what belongs to
# the character before it; . - and , for marks like them; c, what is contracted; x, a token whatever
# is beside it; a blank.
_TOKEN = re.compile(
    r"(?:[aA]\+*\.){2,}"  # U.S.
    r"|A\+*\.(?= *A)"  # an initial
    r"|[aA0](?:[aA0+]|[-.](?=[aA0])|(?<=0),(?=0))*"  # a word, a number
    r"|c+|\.{2,}|-{2,}"
    r"|[^ ]\+*"
)
_CHARACTER = re.compile(r"[^ ]\+*")
_CONTRACTED = re.compile(r"['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
_WITHIN_WORDS = "-‐‑'’&_@"
_WITHIN_NUMBERS = ",:/"


class TextToken(NamedTuple):
    """A token: the characters from `start` up to `end` of the text."""

    text: str
    start: int
    end: int


def split_text(text: str, *, by_character: bool = False) -> list[TextToken]:
    """Split a text into words and punctuation, or into characters."""
    pattern = _CHARACTER if by_character else _TOKEN
    spans = (match.span() for match in pattern.finditer(_classes(text)))
    return [TextToken(text[start:end], start, end) for start, end in spans]


def joined_tokens(tokens: Sequence[str]) -> list[TextToken]:
    """Return tokens with the offsets that they have in their join by blanks."""
    found, start = [], 0
    for token in tokens:
        found.append(TextToken(token, start, start + len(token)))
        start += len(token) + 1
    return found


def _classes(text: str) -> str:
    """Return the class of each character, as many as the text has."""
    classes = list(map(_class_of, text))
    for match in _CONTRACTED.finditer(text):
        classes[match.start() : match.end()] = "c" * len(match[0])
    return "".join(classes)


def character_class(character: str) -> str:
    """Return the class of a character, a letter of `_TOKEN`."""
    if character == ".":
        return "."
    if character in _WITHIN_WORDS:
        return "-"
    if character in _WITHIN_NUMBERS:
        return ","
    if script_of(character) in WITHOUT_BLANKS:
        return "x"
    category = unicodedata.category(character)
    if character.isspace() or category in ("Cc", "Zl", "Zp", "Zs"):
        return " "
    if category[0] == "M" or category == "Cf":
        return "+"
    if category[0] == "N":
        return "0"
    if category[0] == "L":
        return "A" if category in ("Lu", "Lt") else "a"
    return "x"


_class_of = cache(character_class)  # of texts; tables of all characters would fill memory
