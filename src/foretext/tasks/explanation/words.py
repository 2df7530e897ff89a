"""The words of an input, which are left out or weighed: their characters in its texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.chinese_words import mark_words
from foretext.corpus.text_tokens import split_text

__all__ = [
    "Place",
    "Splitter",
    "Texts",
    "places_of",
    "split_chinese",
    "split_words",
    "summed",
    "without",
]

Texts = tuple[str, ...]  # one input
Splitter = Callable[[str], Sequence[tuple[int, int]]]  # where the words of a text start and end

_JOINER = "\u200d"  # makes one emoji of two
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


class Place(NamedTuple):
    """The characters from `start` up to `end` of one of the texts of an input."""

    field: int  # which text
    start: int
    end: int


def split_words(text: str) -> list[tuple[int, int]]:
    """Return where words and punctuation stand; each character where a script has no blanks.

    What belongs to the character before it, such as an accent, is not a word of its own.
    """
    words: list[tuple[int, int]] = []
    for _, start, end in split_text(text):
        if words and words[-1][1] == start and _is_one_emoji(text[start - 1], text[start]):
            words[-1] = words[-1][0], end
        else:
            words.append((start, end))
    return words


def split_chinese(text: str) -> list[tuple[int, int]]:
    """Return where the words stand that jieba finds, and punctuation.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    spans = (match.span() for match in re.finditer("10*", mark_words(text)))
    return [(start, end) for start, end in spans if not text[start:end].isspace()]


def places_of(texts: Texts, split: Splitter = split_words) -> list[Place]:
    """Return the words of all texts of an input, in order."""
    return [Place(field, *span) for field, text in enumerate(texts) for span in split(text)]


def without(texts: Texts, place: Place) -> Texts:
    """Return the input without some characters, and without one of the blanks around them."""
    text = texts[place.field]
    before, after = text[: place.start], text[place.end :]
    if after[:1].isspace() and (not before or before[-1].isspace()):
        after = after[1:]
    elif not after and before[-1:].isspace():
        before = before[:-1]
    return (*texts[: place.field], before + after, *texts[place.field + 1 :])


def summed(weights: Sequence[NDArray[np.float64]], places: Sequence[Place]) -> NDArray[np.float64]:
    """Return the weight of each word, (W,), from the weights of the characters of each text.

    Characters between two words count for the word before them, those in front for the first one,
    so that nothing is lost where there is a word at all.
    """
    found = np.zeros(len(places))
    for number, start, end in _territories(places, [len(each) for each in weights]):
        found[number] = weights[places[number].field][start:end].sum()
    return found


def _territories(places: Sequence[Place], lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each word's number with the characters from its start up to the next word."""
    for number, place in enumerate(places):
        is_first = number == 0 or places[number - 1].field != place.field
        is_last = number + 1 == len(places) or places[number + 1].field != place.field
        end = lengths[place.field] if is_last else places[number + 1].start
        yield number, 0 if is_first else place.start, end


def _is_one_emoji(last: str, first: str) -> bool:
    return last == _JOINER or first in _SKIN_TONES
