"""A passage cut short around an answer, with the right answer and the given one marked in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

__all__ = ["Piece", "marked_passage"]

Piece = list[str]  # a text, and "right", "given" or "both"; "": it belongs to no answer
Span = tuple[int, int]  # characters, the second one excluded

REACH = 120  # characters that are shown on either side of an answer
BEGINNING = 300  # characters of a passage without an answer
CUT = "…"


def marked_passage(text: str, right: Span | None, given: Span | None) -> list[Piece]:
    """Return the pieces of a passage around two answers, in one line; None: there is none."""
    spans = [span for span in (right, given) if span is not None]
    shown = list(_merged(text, spans)) or [(0, min(BEGINNING, len(text)))]
    pieces: list[Piece] = [[CUT, ""]] if shown[0][0] > 0 else []
    for start, end in shown:
        pieces += _pieces(text, start, end, right, given)
        if end < len(text):
            pieces.append([CUT, ""])
    return pieces


def _merged(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield what is shown around spans, in order; parts that meet are one."""
    parts = sorted((_first(text, start), _last(text, end)) for start, end in spans)
    if len(parts) == 2 and parts[1][0] <= parts[0][1]:
        parts = [(parts[0][0], max(parts[0][1], parts[1][1]))]
    yield from parts


def _first(text: str, start: int) -> int:
    """Return where the part before a span begins: at a word, where blanks part words."""
    first = max(start - REACH, 0)
    return text.find(" ", first, start) + 1 or first if first else 0


def _last(text: str, end: int) -> int:
    last = min(end + REACH, len(text))
    blank = text.rfind(" ", end, last)
    return blank if last < len(text) and blank >= 0 else last


def _pieces(
    text: str, start: int, end: int, right: Span | None, given: Span | None
) -> Iterator[Piece]:
    bounds = {start, end, *(right or ()), *(given or ())}
    inside = sorted(bound for bound in bounds if start <= bound <= end)
    for first, last in pairwise(inside):
        is_right, is_given = _covers(right, first), _covers(given, first)
        mark = "both" if is_right and is_given else "right" if is_right else "given"
        yield [re.sub(r"\s+", " ", text[first:last]), mark if is_right or is_given else ""]


def _covers(span: Span | None, place: int) -> bool:
    return span is not None and span[0] <= place < span[1]
