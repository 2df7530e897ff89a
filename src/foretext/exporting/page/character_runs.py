"""Classes and small letters of characters, as Python has them, for a browser.

Browsers have different versions of Unicode; what `str.isupper` and `str.lower` say is therefore
data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["character_runs", "marks_and_blanks", "runs_of", "small_letters"]

_ASSIGNED = ((0, 0x34000), (0xE0000, 0xE0200))  # all other code points are like the last one
_LAST = 0x10FFFF
_Kind = TypeVar("_Kind")


def runs_of(kind_of: Callable[[str], _Kind]) -> list[tuple[int, _Kind]]:
    """Return the first code point of each run of equal classes, with its class.

    Args:
        kind_of: the class of a character.
    """
    return [
        (next(points)[1], kind)
        for kind, points in groupby(_kinds(kind_of), key=lambda pair: pair[0])
    ]


@cache
def character_runs(kind_of: Callable[[str], int]) -> dict[str, NDArray[Any]]:
    """Return the tensors that ``static/engine/character_runs.js`` reads.

    ``starts`` (R,) is the first code point of each run of equal classes, ``kinds`` (R,) its class.

    Args:
        kind_of: the class of a character, 0 to 255.
    """
    starts, kinds = zip(*runs_of(kind_of), strict=True)
    return {"starts": np.array(starts, np.int32), "kinds": np.array(kinds, np.uint8)}


@cache
def marks_and_blanks() -> dict[str, list[int]]:
    """Return by which characters the positions of tokens and answers are found, as JSON has it.

    ``marks`` are the combining characters, ``blanks`` the white space: of each, the first code
    points of runs of other characters and of such in turn.
    """
    return {"marks": _starts(_combines), "blanks": _starts(str.isspace)}


@cache
def small_letters() -> dict[str, NDArray[Any]]:
    """Return the tensors of the capitals and of the small letter of each, (L,) code points.

    I with a dot, whose small form has two characters, is not among them.
    """
    points = [point for first, stop in _ASSIGNED for point in range(first, stop)]
    small = {point: ord(low) for point in points if len(low := chr(point).lower()) == 1}
    capitals = [point for point, low in small.items() if point != low]
    letters = [small[point] for point in capitals]
    return {"capitals": np.array(capitals, np.int32), "letters": np.array(letters, np.int32)}


def _starts(belongs: Callable[[str], bool]) -> list[int]:
    return [start for start, _ in runs_of(belongs)]  # the null character belongs to neither


def _combines(character: str) -> bool:
    return unicodedata.combining(character) > 0


def _kinds(kind_of: Callable[[str], _Kind]) -> Iterator[tuple[_Kind, int]]:
    """Yield class and code point, in the order of code points."""
    other, end = kind_of(chr(_LAST)), 0
    for first, stop in _ASSIGNED:
        if first > end:
            yield other, end
        for point in range(first, stop):
            yield kind_of(chr(point)), point
        end = stop
    yield other, end
