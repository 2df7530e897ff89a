"""What a word is to the classifiers that count features of texts, and how these texts are read.

The rules are those of the pre-tokenisers, written for Python's regular expressions, which need no
kernel: whoever opens a linear classifier waits for no compiler.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from foretext.corpus.decoding import (
    INVISIBLE,
    Form,
    normalize,
    normalized,
    without_invisible,
)
from foretext.corpus.emoji import EMOJI
from foretext.corpus.pre_tokenizers import HAN

__all__ = ["Splitting", "prepared", "prepared_places", "word_pattern", "words_of"]

LAST_MARKS = 0x20000  # where Unicode has no more marks but those that choose a shape
Splitting = Literal["unicode_words", "words_and_punctuation", "whitespace", "letters"]


def words_of(text: str, splitting: Splitting) -> list[str]:
    """Return the words of a text, in order."""
    return word_pattern(splitting, is_ascii=text.isascii()).findall(text)


@cache
def word_pattern(splitting: Splitting, *, is_ascii: bool = False) -> re.Pattern[str]:
    r"""Return the regular expression of a word.

    * ``unicode_words``: letters, digits and marks; each emoji is a word.
    * ``words_and_punctuation``: the same, and each other sign; each Han character is a word.
    * ``whitespace``: what stands between blanks.
    * ``letters``: ``\w+``, as in scikit-learn, where marks of Indic words separate words.

    Args:
        splitting: what a word is.
        is_ascii: whether it is for plain text, which has no marks: several times as fast.
    """
    if splitting == "letters" or (splitting == "unicode_words" and is_ascii):
        return re.compile(r"\w+")
    if splitting == "whitespace":
        return re.compile(r"\S+")
    marks = _marks()
    if splitting == "unicode_words":
        return re.compile(rf"[\w{marks}]+|[{EMOJI}]")
    return re.compile(rf"[{HAN}]|(?:(?![{HAN}])[\w{marks}])+|[^\s\w{marks}]")


def prepared(text: str, splitting: Splitting = "unicode_words", form: Form = "NFC") -> str:
    """Return a text as features are counted: composed, lower-case, no invisible signs.

    With ``letters``, by which earlier versions have learned, these signs stay.
    """
    composed = normalize(text, form)
    return (composed if splitting == "letters" else without_invisible(composed)).lower()


def prepared_places(
    text: str, splitting: Splitting = "unicode_words", form: Form = "NFC"
) -> tuple[str, list[list[int]]]:
    """Return the same, and the characters of `text` that each of its characters is of."""
    found, starts, ends = normalized(text, form)
    places = [
        [*range(start, end)]
        for letter, start, end in zip(found, starts, ends, strict=True)
        for _ in letter.lower()
        if splitting == "letters" or letter not in INVISIBLE
    ]
    return prepared(text, splitting, form), places


@cache
def _marks() -> str:
    """Return the marks of all scripts as inside the brackets of a regular expression."""
    points = [
        point
        for point in range(0x300, LAST_MARKS)
        if unicodedata.category(chr(point))[0] == "M" and chr(point) not in INVISIBLE
    ]
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in runs)
