"""Which names of points a chart of some width has room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Label", "label_widths"]

WIDTHS = (260.0, 320.0, 420.0, 560.0, 720.0, 900.0)  # pixels, of charts
NEVER = 1e6  # pixels; a page has no other number for "infinite"
LETTER, LINE = 6.8, 17  # pixels: the width of a letter, and the height of a line
GAP, RISE = 8, 9  # pixels from a point to the beginning of its label, and up to its middle
DOT = 5  # pixels: the radius of a point
TURN = 0.4  # share of the width from which on labels stand to the left of their points

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Label(NamedTuple):
    """The name of a point, beside it."""

    text: str
    x: float  # place of the point in the chart, from 0 at the left
    y: float  # to 1 at the top

    @property
    def is_right(self) -> bool:
        """Whether the text ends at the point."""
        return self.x > TURN


def label_widths(labels: Sequence[Label], height: float) -> list[float]:
    """Return the width from which on a chart has room for each label; `NEVER` where it has none.

    Where two collide, the first one stays.

    Args:
        labels: the most important first.
        height: of the chart, in pixels, as the widths are.
    """
    found = [NEVER] * len(labels)
    wider = NEVER
    for width in reversed(WIDTHS):
        for index in _fitting(labels, width, height):
            if found[index] == wider:  # else it has no room in one that is wider
                found[index] = width
        wider = width
    return found


def _fitting(labels: Sequence[Label], width: float, height: float) -> list[int]:
    """Return the indices of the labels that a chart has room for."""
    taken = [_dot(label, width, height) for label in labels]
    found = []
    for index, label in enumerate(labels):
        box = _box(label, width, height)
        is_inside = box[0] >= 0 and box[2] <= width
        if is_inside and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            found.append(index)
    return found


def _dot(label: Label, width: float, height: float) -> Box:
    x, y = label.x * width, (1 - label.y) * height
    return x - DOT, y - DOT, x + DOT, y + DOT


def _box(label: Label, width: float, height: float) -> Box:
    x, y = label.x * width, (1 - label.y) * height - RISE
    length = LETTER * len(label.text)
    left = x - GAP - length if label.is_right else x + GAP
    return left, y - LINE / 2, left + length, y + LINE / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
