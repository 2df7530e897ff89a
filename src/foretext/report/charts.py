"""Charts that pages of several kinds have: curves of a training, and the map of words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from foretext.messages import message, translated
from foretext.report.axes import Axis, Words, digits, figure, in_percent, linear, short
from foretext.report.plot import Plot, color_class, said

__all__ = ["curve_chart", "map_chart", "thinned"]

MOST_POINTS = 600  # of a curve; a screen shows no more
MOST_STOPS = 120  # of a chart, which say their values
MARGIN = 0.04  # of the map, on every side
NEAR_ZERO = 0.15  # share of the epochs: where the first point stands, if the axis begins at 0
FEW_POINTS = 30  # up to here each point of a curve is marked
SMALLEST, LARGEST = 2.4, 9.0  # pixels: the radius of a word of the map

Record = Mapping[str, Any]


def curve_chart(
    records: Sequence[Record],
    series: Mapping[str, str],
    title: str,
    *,
    unit: str = "words",
    height: int = 260,
    words: Words = short,
) -> str | None:
    """Draw figures of `records` over their epochs; None when no record has any of them.

    Args:
        records: lines of metrics.jsonl.
        series: from a record's field to the name of its line.
        title: of the vertical axis, with its unit.
        unit: what a record counts, said under the pointer.
        height: in pixels; the width is the page's.
        words: of the vertical axis.
    """
    lines = {field: _points(records, field) for field in series}
    drawn = {field: points for field, points in lines.items() if points}
    if not drawn:
        return None
    every = [point for points in drawn.values() for point in points]
    ends = [x for x, _ in every]
    if 0 < min(ends) < max(ends) * NEAR_ZERO:
        ends.append(0)
    across = linear(ends, message("page.training.epoch"), digits, count=8,
                    nice=False, has_grid=False)  # fmt: skip
    up = linear((y for _, y in every), title, words)
    plot = Plot(across, up, height, title)
    if len(drawn) > 1:
        plot.legend([series[field] for field in drawn])
    for color, points in enumerate(drawn.values(), 1):
        plot.line(thinned(points, MOST_POINTS), color)
        for x, y in points if len(points) <= FEW_POINTS else ():
            plot.dot(x, y, color)
    names = {field: series[field] for field in drawn}
    for stop in _stops(records, names, words, unit, title):
        plot.stop(*stop)
    return plot.html()


def map_chart(points: Sequence[Record], *, height: int = 680) -> str:
    """Draw words as points; where there is a script, they can be searched, zoomed and moved.

    Args:
        points: records with ``word``, ``x``, ``y`` in 0..1, ``count``, ``group``, ``nearest`` and
            ``level``, the magnification from which on the name is shown.
        height: in pixels; the width is the page's.
    """
    edges = Axis(-MARGIN, 1 + MARGIN, (), has_grid=False)
    plot = Plot(edges, edges, height, message("runs.vectors.map_description"), is_clipped=True)
    most = max((float(point["count"]) for point in points), default=0.0) or 1.0
    for point in points:
        plot.mark(_point(point, most, edges))
    for point in points:
        plot.mark(_name(point, edges))
    label, hint = escape(message("runs.vectors.find")), escape(message("runs.vectors.find_hint"))
    return (
        f'<div class="map"><label class="chooser find" hidden>{label} '
        f'<input type="search" placeholder="{hint}"></label>{plot.html()}</div>'
    )


def thinned(points: Sequence[Any], most: int) -> list[Any]:
    """Return at most about `most` points, evenly chosen, the last one among them."""
    step = max(1, math.ceil(len(points) / most))
    return list(reversed(points[::-step]))


def _point(point: Record, most: float, edges: Axis) -> str:
    """Return the point of a word of the map."""
    share = math.sqrt(max(point["count"], 0) / most)
    radius = SMALLEST + (LARGEST - SMALLEST) * share
    title = said({
        message("runs.vectors.word"): str(point["word"]),
        message("runs.vectors.count"): f"{point['count']:,}",
        message("runs.vectors.near"): str(point["nearest"]),
    })  # fmt: skip
    circle = f'<circle class="point" r="{radius:.1f}"><title>{escape(title)}</title></circle>'
    color = color_class(point["group"] + 1)
    return f'<svg class="word {color}" {_position(point, edges)}>{circle}</svg>'


def _name(point: Record, edges: Axis) -> str:
    """Return the name of a word of the map, a little above its point."""
    far = "" if point["level"] <= 1 else " far"
    text = f'<text y="-9" text-anchor="middle">{escape(str(point["word"]))}</text>'
    level = f'data-level="{point["level"]}"'
    return f'<svg class="name{far}" {level} {_position(point, edges)}>{text}</svg>'


def _position(point: Record, edges: Axis) -> str:
    across, down = edges.position(point["x"]), 1 - edges.position(point["y"])
    return f'x="{100 * across:.2f}%" y="{100 * down:.2f}%"'


def _points(records: Sequence[Record], field: str) -> list[tuple[float, float]]:
    return [(record["epoch"], record[field]) for record in records if _is_number(record.get(field))]


def _stops(
    records: Sequence[Record], series: Mapping[str, str], words: Words, unit: str, title: str
) -> Iterator[tuple[float, float, list[tuple[float, int]], str]]:
    """Yield strips of a curve: the middle, the width, the points in it, and their values."""
    drawn = [record for record in records if any(_is_number(record.get(each)) for each in series)]
    shown = thinned(drawn, MOST_STOPS)
    for record in shown:
        values: dict[str, str] = {}
        points = []
        for color, (field, name) in enumerate(series.items(), 1):
            if _is_number(record.get(field)):
                values[name if len(series) > 1 else title] = _said(record[field], words)
                points.append((record[field], color))
        values[message("page.training.epoch")] = f"{record['epoch']:.2f}"
        if record.get(unit) is not None:
            values[translated(unit)] = f"{record[unit]:,}"
        yield record["epoch"], 1 / len(shown), points, said(values)


def _said(value: float, words: Words) -> str:
    return f"{100 * value:.1f}%" if words is in_percent else figure(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
