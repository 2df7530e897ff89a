"""How a raw text is split into tokens, as tables for a browser: the class of each character.

Browsers have different versions of Unicode, and so different letters; the page gets the classes
by which Python itself splits, as runs of equal ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from foretext.corpus.text_tokens import character_class

__all__ = ["token_tables"]

_ASSIGNED = ((0, 0x34000), (0xE0000, 0xE0200))  # all other code points are like the last one
_LAST = 0x10FFFF
_WORD = re.compile(r"\w")


@cache
def token_tables() -> dict[str, Any]:
    """Return what ``static/engine/text_tokens.js`` splits by, as JSON has it.

    ``starts`` is the first code point of each run, ``classes`` a letter for each run (those of
    `foretext.corpus.text_tokens`), ``words`` whether its characters are of a word, 0 or 1.
    """
    starts, classes, words = list[int](), list[str](), list[str]()
    last = ""
    for point, kind in _kinds():
        if kind != last:
            starts.append(point)
            classes.append(kind[0])
            words.append(kind[1])
            last = kind
    return {"starts": starts, "classes": "".join(classes), "words": "".join(words)}


def _kinds() -> Iterator[tuple[int, str]]:
    """Yield code points with class and "0" or "1", in order."""
    other = _kind(_LAST)
    end = 0
    for first, stop in _ASSIGNED:
        if first > end:
            yield end, other
        for point in range(first, stop):
            yield point, _kind(point)
        end = stop
    yield end, other


def _kind(point: int) -> str:
    character = chr(point)
    return character_class(character) + str(int(_WORD.match(character) is not None))
