"""The scripts of a text (Unicode Standard Annex 24, the ranges of most text)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

__all__ = ["WITHOUT_BLANKS", "script_of", "script_rates", "unspaced_ranges"]

WITHOUT_BLANKS = {"Han", "Kana", "Thai"}  # scripts that put no blanks between words

_RANGES = [  # first and last code point
    (0x0041, 0x024F, "Latin"),
    (0x0250, 0x02AF, "Latin"),
    (0x0370, 0x03FF, "Greek"),
    (0x0400, 0x052F, "Cyrillic"),
    (0x0590, 0x05FF, "Hebrew"),
    (0x0600, 0x06FF, "Arabic"),
    (0x0750, 0x077F, "Arabic"),
    (0x0870, 0x08FF, "Arabic"),
    (0x0900, 0x097F, "Devanagari"),
    (0x0E00, 0x0E7F, "Thai"),
    (0x1100, 0x11FF, "Hangul"),
    (0x1C80, 0x1C8F, "Cyrillic"),
    (0x1D00, 0x1DBF, "Latin"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"),
    (0x2C60, 0x2C7F, "Latin"),
    (0x2DE0, 0x2DFF, "Cyrillic"),
    (0x2E80, 0x2FDF, "Han"),
    (0x3005, 0x3007, "Han"),
    (0x3041, 0x30FF, "Kana"),
    (0x3131, 0x318E, "Hangul"),
    (0x31F0, 0x31FF, "Kana"),
    (0x3400, 0x4DBF, "Han"),
    (0x4E00, 0x9FFF, "Han"),
    (0xA640, 0xA69F, "Cyrillic"),
    (0xA720, 0xA7FF, "Latin"),
    (0xA8E0, 0xA8FF, "Devanagari"),
    (0xA960, 0xA97F, "Hangul"),
    (0xAB30, 0xAB6F, "Latin"),
    (0xAC00, 0xD7FF, "Hangul"),
    (0xF900, 0xFAFF, "Han"),
    (0xFB00, 0xFB06, "Latin"),
    (0xFB1D, 0xFB4F, "Hebrew"),
    (0xFB50, 0xFDFF, "Arabic"),
    (0xFE70, 0xFEFC, "Arabic"),
    (0xFF21, 0xFF5A, "Latin"),
    (0xFF66, 0xFF9D, "Kana"),
    (0x20000, 0x3134F, "Han"),
]
_STARTS = [first for first, _, _ in _RANGES]


def script_of(letter: str) -> str:
    """Return the script of one letter; "other" if it is not a common one."""
    code = ord(letter)
    index = bisect_right(_STARTS, code) - 1
    if index < 0 or code > _RANGES[index][1]:
        return "other"
    return _RANGES[index][2]


def unspaced_ranges() -> list[tuple[int, int]]:
    """Return the first and last code points of scripts that put no blanks between words."""
    return [(first, last) for first, last, script in _RANGES if script in WITHOUT_BLANKS]


def script_rates(characters: Counter[str]) -> dict[str, float]:
    """Return the share of each script in the letters of `characters`, the largest first."""
    scripts: Counter[str] = Counter()
    for character, count in characters.items():
        if character.isalpha():
            scripts[script_of(character)] += count
    return {script: count / scripts.total() for script, count in scripts.most_common()}
