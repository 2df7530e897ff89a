"""Signs of text that was decoded by the wrong encoding: words that no language has.

A word of several Latin letters without one of ASCII ("âåðíóëñÿ" is Russian in cp1251, read as
cp1252), a word that goes on in capitals after a small letter ("лЮПЮАКЭ"), letters of two alphabets
in one word, signs between letters ("´¬ÔÚ"), and control characters of ISO 8859.
"""

from __future__ import annotations

import re

from foretext.messages import message

__all__ = [
    "FEWEST_WORDS",
    "STRANGE_RATE",
    "encoding_doubt",
    "is_strange",
    "is_wrong",
    "unusual_words",
]

FEWEST_WORDS = 20  # beyond ASCII, from which their share says something
STRANGE_RATE = 0.2  # of them; text in any language has less than a twentieth

_LETTERS_BEYOND = r"\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_FOREIGN_LETTERS = re.compile(
    rf"(?<![A-Za-z{_LETTERS_BEYOND}])[{_LETTERS_BEYOND}]{{4,}}(?![A-Za-z{_LETTERS_BEYOND}])"
)
_CONTROL = re.compile("[\x80-\x84\x86-\x9f\ufffd]")
_SIGN_BETWEEN = re.compile(
    r"[^\W\d_][\u00a1-\u00a9\u00ac\u00ae-\u00b4\u00b6\u00b8\u00b9\u00bc-\u00be\u00d7\u00f7"
    r"\u201a\u201e\u2020-\u2022\u2026\u2030\u20ac\u2116\u2122\u2500-\u25a0]+[^\W\d_]"
)
_TWO_SCRIPTS = re.compile(
    r"[\u00c0-\u024f][\u0370-\u052f]|[\u0370-\u052f][\u00c0-\u024f]"
    r"|[\u0370-\u03ff][\u0400-\u052f]|[\u0400-\u052f][\u0370-\u03ff]"
    r"|[A-Za-z][\u0386-\u052f\u05d0-\u06ff]|[\u0386-\u052f\u05d0-\u06ff][A-Za-z]"
)
_SMALL_FIRST = re.compile(r"[^\W\d_]{3,}")


def unusual_words(text: str) -> list[str]:
    """Return what stands between blanks and has a character beyond ASCII."""
    return [] if text.isascii() else [word for word in text.split() if not word.isascii()]


def is_wrong(text: str) -> bool:
    """Whether a text shows that it was decoded by the wrong encoding."""
    words = unusual_words(text)
    return sum(map(is_strange, words)) > STRANGE_RATE * len(words)


def encoding_doubt(sample: str) -> str | None:
    """Return a sentence where a text shows that it was read by the wrong encoding."""
    words = unusual_words(sample)
    strange = [word for word in words if is_strange(word)]
    if len(words) < FEWEST_WORDS or len(strange) <= STRANGE_RATE * len(words):
        return None
    rate, example = len(strange) / len(words), strange[0][:40]
    return message("findings.corpus.encoding_doubt", rate=rate, example=example)


def is_strange(word: str) -> bool:
    """Whether a word, with signs around it, is none of a language."""
    return any(
        pattern.search(word) is not None
        for pattern in (_FOREIGN_LETTERS, _CONTROL, _SIGN_BETWEEN, _TWO_SCRIPTS)
    ) or any(_swaps_case(letters) for letters in _SMALL_FIRST.findall(word))


def _swaps_case(letters: str) -> bool:
    """Whether capitals follow a small letter beyond ASCII, as where koi8-r is read as cp1251."""
    return letters[0] > "\x7f" and letters[0].islower() and letters[1:].isupper()
