"""Pictures of quality against cost: which candidates are worth their time, size or speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from foretext.messages import message
from foretext.report.axes import (
    DECADES,
    NEVER,
    WIDTHS,
    Words,
    digits,
    linear,
    logarithmic,
    named_time,
    short,
    text_width,
)
from foretext.report.plot import Plot, said

__all__ = [
    "DISK",
    "FIT",
    "GROUPS",
    "TIMES",
    "USE",
    "Cost",
    "Costed",
    "Label",
    "cost_chart",
    "frontier",
    "group_color",
    "is_drawn",
    "label_widths",
]

GROUPS = ("classical", "vectors", "from scratch", "pretrained", "given")  # in the order of colors
HEIGHT = 320  # pixels
MARGIN = 1.4  # by which the logarithmic axis goes on beyond the points
ROOM = 0.12  # likewise, of the other axis: a share of its range
LEAST_RANGE = 0.05  # of values that are alike: a share of the largest
TIMES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400,
         28_800, 86_400, 172_800, 604_800)  # fmt: skip
LARGEST = 1e15  # figures and costs beyond it are those of a damaged file

LINE = 17  # pixels: the height of a line
GAP, RISE = 8, 9  # pixels from a point to the beginning of its label, and up to its middle
DOT = 5  # pixels: the radius of a point
TURN = 0.4  # share of the width from which on labels stand to the left of their points

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Cost(NamedTuple):
    """What a candidate costs, and how an axis shows it."""

    name: str
    words: Words  # of a label, in the reader's language
    marks: Sequence[float]  # where labels may stand

    @property
    def title(self) -> str:
        """What the axis shows, in the reader's language."""
        return message(f"comparison.cost.{self.name}")


class Costed(NamedTuple):
    """A candidate in a picture of quality against cost."""

    rank: int
    name: str
    group: str
    value: float  # higher is better
    cost: float  # above 0, lower is better
    shown: str  # the cost in words


def _bytes(size: float, step: float = 0.0) -> str:
    words = short(size, step)
    return f"{words} B" if words[-1].isdigit() else f"{words[:-1]} {words[-1]}B"


FIT = Cost("fit", named_time, TIMES)
USE = Cost("use", digits, DECADES)
DISK = Cost("disk", _bytes, DECADES)


def cost_chart(
    candidates: Sequence[Costed], cost: Cost, title: str, *, words: Words = digits
) -> str:
    """Draw quality over cost; a line joins those that no other is better and cheaper than.

    Args:
        candidates: one or more.
        cost: the horizontal axis, which is logarithmic.
        title: of the vertical axis.
        words: of its figures.
    """
    best = frontier(candidates)
    rows = sorted(candidates, key=lambda each: (each.name not in best, each.rank))
    costs = [row.cost for row in rows]
    across = logarithmic(
        min(costs) / MARGIN, max(costs) * MARGIN, cost.title, cost.words, cost.marks
    )
    up = linear(_up(rows), title, words, nice=False)
    about = message("comparison.cost.description", title=title, cost=cost.title)
    plot = Plot(across, up, HEIGHT, about)
    steps = sorted((row.cost, row.value) for row in rows if row.name in best)
    plot.line(steps, 1, kind="dashed faint", has_steps=True)
    for row in rows:
        values = {message("page.chart.candidate"): row.name, title: words(row.value),
                  cost.title: row.shown}  # fmt: skip
        color = group_color(row.group)
        plot.dot(row.cost, row.value, color, title=said(values), radius=DOT)
    _write(plot, rows, best)
    return plot.html()


def frontier(candidates: Sequence[Costed]) -> set[str]:
    """Return the names of those that no other candidate is both as good and as cheap as."""
    found, highest = set(), -math.inf
    for each in sorted(candidates, key=lambda each: (each.cost, -each.value)):
        if each.value > highest:
            found.add(each.name)
            highest = each.value
    return found


def group_color(group: str) -> int:
    """Return the number of a group's color; a group that nobody knows has the last one."""
    return (GROUPS.index(group) if group in GROUPS else len(GROUPS) - 1) + 1


def is_drawn(value: float | None) -> bool:
    """Whether a value is a number that a chart can show."""
    return value is not None and abs(value) < LARGEST


def _up(rows: Sequence[Costed]) -> list[float]:
    values = [row.value for row in rows]
    least = LEAST_RANGE * max(1.0, *map(abs, values))
    room = ROOM * max(max(values) - min(values), least)
    return [min(values) - room, max(values) + room]


def _write(plot: Plot, rows: Sequence[Costed], best: set[str]) -> None:
    """Write the labels; where a name has no room, the number of its candidate stands there."""
    labels = [
        Label(row.name if row.name in best else str(row.rank),
              plot.across.position(row.cost), plot.up.position(row.value))
        for row in rows
    ]  # fmt: skip
    for row, label, width in zip(rows, labels, label_widths(labels, HEIGHT), strict=True):
        shift = (-GAP if label.is_right else GAP, -RISE)
        anchor = "end" if label.is_right else "start"
        plot.text(row.cost, row.value, label.text, shift=shift, anchor=anchor, since=width)
        if row.name in best and width > WIDTHS[0]:
            plot.text(row.cost, row.value, str(row.rank), shift=shift, anchor=anchor, until=width)


class Label(NamedTuple):
    """The name of a point, beside it."""

    text: str
    x: float  # position of the point in the chart, from 0 at the left
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
    length = text_width(label.text)
    left = x - GAP - length if label.is_right else x + GAP
    return left, y - LINE / 2, left + length, y + LINE / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
