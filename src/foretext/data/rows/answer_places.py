"""Where an answer stands in its passage, although the file may count differently.

Files made from others count bytes, or UTF-16 units as JavaScript does, are off by a few characters,
or have full-width forms on one side only.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from foretext.data.rows.question import Answer

__all__ = ["placed", "searched"]


def placed(text: str, start: int, context: str) -> Answer:
    """Return an answer with its place: the file's where that is right, else the nearest one.

    Args:
        text: of the answer.
        start: where the file says that it begins; negative: it does not say it.
        context: the passage.
    """
    if start >= 0 and context.startswith(text, start):
        return Answer(text, start)
    expected = max(start, 0)
    for units in ("utf-8", "utf-16-le"):
        characters = _characters(expected, context, units)
        if start >= 0 and characters is not None and context.startswith(text, characters):
            return Answer(text, characters, is_moved=True)
    nearest = _nearest(text, expected, context)
    if nearest is None:
        nearest = _nearest(_folded(text), expected, _folded(context))
    return Answer(text, nearest, is_moved=nearest is not None and start >= 0)


def searched(text: str, context: str) -> Answer:
    """Return an answer whose place the file does not give, at the first place where it stands."""
    return placed(text, -1, context)


def _characters(units: int, context: str, encoding: str) -> int | None:
    """Return how many characters a number of bytes, or of UTF-16 units, stands for."""
    size = 2 if encoding == "utf-16-le" else 1
    try:
        return len(context.encode(encoding)[: units * size].decode(encoding))
    except UnicodeDecodeError:  # within a character
        return None


def _nearest(text: str, start: int, context: str) -> int | None:
    """Return the place of `text` that is nearest to `start`, None where there is none."""
    ahead, behind = context.find(text, start), context.rfind(text, 0, start + len(text))
    places = [place for place in (behind, ahead) if place >= 0]
    return min(places, key=lambda place: abs(place - start), default=None)


def _folded(text: str) -> str:
    """Return a text of the same length without differences of width, case and white space."""
    return "".join(map(_fold, text))


@cache
def _fold(character: str) -> str:
    if character.isspace():
        return " "
    folded = unicodedata.normalize("NFKC", character).lower()
    return folded if len(folded) == 1 else character
