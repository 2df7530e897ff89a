"""Pictures of quality against cost: which candidates are worth their time, size or speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from foretext.messages import message
from foretext.report.charts import number_axis, specification

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
    "time_labels",
]

GROUPS = ("classical", "vectors", "from scratch", "pretrained", "given")  # in the order of colors
HEIGHT = 320  # pixels
MARGIN = 1.4  # by which the logarithmic axis goes on beyond the points
ROOM = 0.12  # likewise, of the other axis: a share of its range
LEAST_RANGE = 0.05  # of values that are alike: a share of the largest
TIMES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400,
         28_800, 86_400, 172_800, 604_800)  # fmt: skip
DECADES = tuple(digit * 10.0**power for power in range(-6, 13) for digit in (1, 2, 5))
LARGEST = 1e15  # figures and costs beyond it are those of a damaged file

# Labels of axes, in the language of Vega.
SIZE = "replace(format(datum.value, '~s'), regexp('([kMGT])$'), ' $1') + 'B'"
NUMBER = "format(datum.value, '~g')"

WIDTHS = (260.0, 320.0, 420.0, 560.0, 720.0, 900.0)  # pixels, of charts
NEVER = 1e6  # pixels; a page has no other number for "infinite"
LETTER, LINE = 6.8, 17  # pixels: the width of a letter, and the height of a line
GAP, RISE = 8, 9  # pixels from a point to the beginning of its label, and up to its middle
DOT = 5  # pixels: the radius of a point
TURN = 0.4  # share of the width from which on labels stand to the left of their points

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Cost(NamedTuple):
    """What a candidate costs, and how an axis shows it."""

    name: str
    labels: Callable[[], str]  # an expression of Vega, in the reader's language
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


def time_labels() -> str:
    """Return the labels of an axis of seconds, as an expression of Vega."""
    parts = (("seconds", 1), ("minutes", 60), ("hours", 3600))
    seconds, minutes, hours = (
        f"format(datum.value / {size}, '.3~g') + ' {message(f'page.axis.{unit}')}'"
        for unit, size in parts
    )
    return f"datum.value < 60 ? {seconds} : datum.value < 3600 ? {minutes} : {hours}"


FIT = Cost("fit", time_labels, TIMES)
USE = Cost("use", lambda: NUMBER, DECADES)
DISK = Cost("disk", lambda: SIZE, DECADES)


def cost_chart(
    candidates: Sequence[Costed], cost: Cost, title: str, *, number_format: str = ".3~f"
) -> dict[str, Any]:
    """Draw quality over cost; a line joins those that no other is better and cheaper than.

    Args:
        candidates: one or more.
        cost: the horizontal axis, which is logarithmic.
        title: of the vertical axis.
        number_format: of its figures, as d3 writes it.
    """
    import altair as alt

    best = frontier(candidates)
    rows = sorted(candidates, key=lambda each: (each.name not in best, each.rank))
    across, up = _across(rows), _up(rows)
    base = alt.Chart(alt.InlineData(values=_records(rows, best, across, up))).encode(
        x=alt.X("cost:Q", title=cost.title, axis=_cost_axis(cost, across),
                scale=alt.Scale(type="log", domain=across, nice=False)),
        y=alt.Y("value:Q", title=title, axis=number_axis(number_format, tickCount=6),
                scale=alt.Scale(domain=up, nice=False)),
    )  # fmt: skip
    dots = base.mark_circle(size=90, opacity=0.95).encode(
        color=alt.Color("group:N", scale=alt.Scale(domain=GROUPS), legend=None),
        tooltip=[
            alt.Tooltip("name:N", title=message("page.chart.candidate")),
            alt.Tooltip("value:Q", title=title, format=number_format),
            alt.Tooltip("shown:N", title=cost.title),
        ],
    )
    line = base.transform_filter("datum.best").mark_line(
        interpolate="step-after", strokeDash=[5, 4], strokeWidth=1.5, opacity=0.6
    )
    drawn = alt.layer(line, dots, *_texts(base))
    return specification(
        drawn, message("comparison.cost.description", title=title, cost=cost.title), HEIGHT
    )


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
    """Whether a value is a number that a chart has a place for."""
    return value is not None and abs(value) < LARGEST


def _across(rows: Sequence[Costed]) -> list[float]:
    costs = [row.cost for row in rows]
    return [min(costs) / MARGIN, max(costs) * MARGIN]


def _up(rows: Sequence[Costed]) -> list[float]:
    values = [row.value for row in rows]
    least = LEAST_RANGE * max(1.0, *map(abs, values))
    room = ROOM * max(max(values) - min(values), least)
    return [min(values) - room, max(values) + room]


def _cost_axis(cost: Cost, across: Sequence[float]) -> Any:
    import altair as alt

    marks = [mark for mark in cost.marks if across[0] <= mark <= across[1]]
    return alt.Axis(
        labelExpr=cost.labels(), grid=False, values=marks if len(marks) > 1 else alt.Undefined
    )


def _records(
    rows: Sequence[Costed], best: set[str], across: Sequence[float], up: Sequence[float]
) -> list[dict[str, Any]]:
    """Return each candidate with its label, and the width of a chart that has room for it."""
    low, high = (math.log(bound) for bound in across)
    labels = [
        Label(row.name if row.name in best else str(row.rank),
              (math.log(row.cost) - low) / (high - low), (row.value - up[0]) / (up[1] - up[0]))
        for row in rows
    ]  # fmt: skip
    return [
        {**row._asdict(), "best": row.name in best, "label": label.text,
         "is_right": label.is_right, "width": width}
        for row, label, width in zip(rows, labels, label_widths(labels, HEIGHT), strict=True)
    ]  # fmt: skip


def _texts(base: Any) -> Iterator[Any]:
    """Yield the labels; where a name has no room, the number of its candidate stands there."""
    import altair as alt

    fits = "width >= datum.width"
    for side, rows, shift in (("left", "!datum.is_right", 8), ("right", "datum.is_right", -8)):
        texts = base.transform_filter(rows).mark_text(align=side, dx=shift, dy=-9, fontSize=12)
        seen, hidden = alt.value(1), alt.value(0)
        yield texts.encode(text="label:N", opacity=alt.condition(fits, seen, hidden))
        numbers = texts.transform_filter("datum.best")
        yield numbers.encode(text="rank:N", opacity=alt.condition(fits, hidden, seen))


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
