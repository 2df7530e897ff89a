"""What is wrong with an output at first sight: it copies, repeats itself, or has the wrong length.

References are looked at in the same way, because a summary copies and a list repeats without fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from foretext.metrics.texts import text_units

__all__ = ["FAULTS", "TextFaults", "copied_rate", "repeated_phrase", "text_faults"]

COPIED = 0.5  # share of an output's phrases from which on it counts as a copy
PHRASE, CHARACTERS = 4, 8  # words of a phrase, and characters where a script has no blanks
SHORT, LONG = 0.5, 2.0  # length of an output by that of its reference

FAULTS = {
    "empty": "no word",
    "unended": "stopped at the most tokens allowed",
    "copy": "copies most of its source",
    "repetition": f"repeats a phrase of {PHRASE} words",
    "short": "less than half as long as its reference",
    "long": "more than twice as long as its reference",
}


class TextFaults(NamedTuple):
    """Which of `FAULTS` an output has."""

    kinds: tuple[str, ...]
    phrase: str  # that it repeats; "": none


def text_faults(
    source: str, output: str, reference: str | None = None, *, ended: bool = True
) -> TextFaults:
    """Return the faults of an output; without a reference its length is right."""
    words, right = text_units(output), [] if reference is None else text_units(reference)
    phrase = repeated_phrase(words)
    found = {
        "empty": not words,
        "unended": not ended,
        "copy": copied_rate(words, text_units(source)) > COPIED,
        "repetition": bool(phrase),
        "short": 0 < len(words) < SHORT * len(right),
        "long": bool(right) and len(words) > LONG * len(right),
    }
    return TextFaults(tuple(kind for kind, has in found.items() if has), phrase)


def copied_rate(words: Sequence[str], source: Sequence[str]) -> float:
    """Return the share of the phrases of a text that stand in its source; all of a short one."""
    length = _phrase_length(words)
    if len(words) < length:
        return float(bool(words) and _holds(source, words))
    known = set(_phrases(source, length))
    phrases = list(_phrases(words, length))
    return sum(phrase in known for phrase in phrases) / len(phrases)


def repeated_phrase(words: Sequence[str]) -> str:
    """Return the phrase that comes most often, if that is more than once; "" if none does."""
    length = _phrase_length(words)
    counts = Counter(_phrases(words, length))
    if not counts:
        return ""
    phrase, times = counts.most_common(1)[0]
    return (" " if length == PHRASE else "").join(phrase) if times > 1 else ""


def _phrase_length(words: Sequence[str]) -> int:
    """Return the words of a phrase; of a text whose words are mostly single characters, more."""
    single = sum(len(word) == 1 and not word.isascii() for word in words)
    return CHARACTERS if 2 * single > len(words) else PHRASE


def _phrases(words: Sequence[str], length: int) -> zip[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(length)), strict=False)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return tuple(part) in set(_phrases(words, len(part)))
