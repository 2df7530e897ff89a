"""The charts of a page, as Vega-Lite specifications made with altair.

Colours and fonts are not here: the page gives them, so that they follow its light or dark scheme.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.messages import message, translated

__all__ = ["chooser", "curve_chart", "legend_above", "map_chart", "number_axis", "specification"]

MOST_POINTS = 600  # of a curve; a screen shows no more
MARGIN = 0.04  # of the map, on every side
FEW_POINTS = 30  # up to here each point of a curve is marked
NARROWEST = 260  # pixels, of a chart on a telephone
LINE_SEPARATORS = {0x2028: " ", 0x2029: " "}
LEGEND_SYMBOL, LEGEND_LETTER = 40, 7  # pixels, of a name in a legend

Record = Mapping[str, Any]


def curve_chart(
    records: Sequence[Record],
    series: Mapping[str, str],
    title: str,
    *,
    unit: str = "words",
    height: int = 260,
    number_format: str = "~s",
) -> dict[str, Any] | None:
    """Draw figures of `records` over their epochs; None when no record has any of them.

    Args:
        records: lines of metrics.jsonl.
        series: from a record's field to the name of its line.
        title: of the vertical axis, with its unit.
        unit: what a record counts, shown under the pointer.
        height: in pixels; the width is the page's.
        number_format: of the vertical axis, as d3 writes it.
    """
    import altair as alt

    rows = _long_rows(records, series, unit)
    if not rows:
        return None
    names = [name for name in series.values() if any(row["series"] == name for row in rows)]
    nearest = alt.selection_point(
        name="nearest", on="mouseover", nearest=True, fields=["epoch"], empty=False
    )
    axis = number_axis(number_format, tickCount=6)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("epoch:Q", title=message("page.training.epoch"), axis=alt.Axis(grid=False)),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False), axis=axis),
        color=alt.Color(
            "series:N",
            sort=names,
            scale=alt.Scale(domain=names),
            legend=legend_above(names) if len(names) > 1 else None,
        ),
    )
    shown = 0.9 if len(rows) <= FEW_POINTS * len(names) else 0
    points = base.mark_point(filled=True, size=42).encode(
        opacity=alt.condition(nearest, alt.value(1), alt.value(shown)),
        tooltip=_nearest_tooltip(
            "series" if len(names) > 1 else None,
            {
                title: ("value", ".1%" if number_format.endswith("%") else ",.4~r"),
                message("page.training.epoch"): ("epoch", ".2f"),
                translated(unit): (unit, ","),
            },
        ),
    )
    lines = base.mark_line(strokeWidth=2, interpolate="linear")
    return specification((lines + points.add_params(nearest)), title, height)


def map_chart(points: Sequence[Record], *, height: int = 680) -> dict[str, Any]:
    """Draw words as points that can be zoomed, panned and searched; names appear as room allows.

    Args:
        points: records with ``word``, ``x``, ``y`` in 0..1, ``count``, ``group``, ``nearest`` and
            ``level``, the magnification from which on the name is shown.
        height: in pixels; the width is the page's.
    """
    import altair as alt

    zoom = alt.selection_interval(name="zoom", bind="scales")
    find = alt.param(
        name="find",
        value="",
        bind=alt.binding(
            input="search",
            placeholder=message("runs.vectors.find_hint"),
            name=f"{message('runs.vectors.find')} ",
        ),
    )
    found = "find != '' && indexof(lower(datum.word), lower(find)) === 0"
    span = 1 + 2 * MARGIN
    roomy = f"datum.level <= {span} / (zoom.x ? zoom.x[1] - zoom.x[0] : {span})"
    edges = alt.Scale(domain=[-MARGIN, 1 + MARGIN], nice=False, zero=False)
    base = alt.Chart(alt.InlineData(values=list(points))).encode(
        x=alt.X("x:Q", axis=None, scale=edges), y=alt.Y("y:Q", axis=None, scale=edges)
    )
    dots = base.mark_circle().encode(
        size=alt.condition(
            found,
            alt.value(260),
            alt.Size("count:Q", scale=alt.Scale(type="sqrt", range=[18, 260]), legend=None),
        ),
        color=alt.Color("group:N", legend=None),
        opacity=alt.condition(f"find == '' || ({found})", alt.value(0.75), alt.value(0.15)),
        tooltip=[
            alt.Tooltip("word:N", title=message("runs.vectors.word")),
            alt.Tooltip("count:Q", title=message("runs.vectors.count"), format=","),
            alt.Tooltip("nearest:N", title=message("runs.vectors.near")),
        ],
    )
    names = base.mark_text(dy=-9, fontSize=11).encode(
        text="word:N",
        opacity=alt.condition(f"({found}) || (find == '' && {roomy})", alt.value(1), alt.value(0)),
    )
    return specification(
        (dots.add_params(zoom, find) + names), message("runs.vectors.map_description"), height
    )


def specification(chart: Any, description: str, height: int) -> dict[str, Any]:
    """Return an altair chart as plain data, as wide as its place and without an address in it."""
    chart = chart.properties(width="container", height=height, description=description)
    data: dict[str, Any] = chart.to_dict()
    for name in ("$schema", "config"):
        data.pop(name, None)
    return dict(_in_one_line(data))


def _in_one_line(value: Any) -> Any:
    """Return a value with a blank for each line separator of Unicode in its texts.

    Vega writes texts into expressions, and its parser takes these characters for the end of a line.
    """
    if isinstance(value, str):
        return value.translate(LINE_SEPARATORS)
    if isinstance(value, dict):
        return {name: _in_one_line(part) for name, part in value.items()}
    return [_in_one_line(part) for part in value] if isinstance(value, list) else value


def legend_above(names: Sequence[str], **options: Any) -> Any:
    """Return a legend above a chart, in as many columns as a telephone has room for.

    Args:
        names: that it shows.
        options: further ones, of `altair.Legend`.
    """
    import altair as alt

    widest = LEGEND_SYMBOL + LEGEND_LETTER * max(map(len, names))
    columns = max(1, min(len(names), NARROWEST // widest))
    return alt.Legend(title=None, orient="top", columns=columns, labelLimit=NARROWEST, **options)


def chooser(parameter: str, names: Sequence[str]) -> Any:
    """Return a parameter of a chart by which a reader shows one of several lines alone, or all."""
    import altair as alt

    every = message("page.chart.all")
    choice = alt.binding_select(options=[every, *names], name=f"{message('page.chart.show')} ")
    return alt.param(name=parameter, value=every, bind=choice)


def number_axis(number_format: str, **options: Any) -> Any:
    """Return an axis whose labels are in a format of d3: 0, 20k, where Vega would say 0k."""
    import altair as alt

    return alt.Axis(labelExpr=f"format(datum.value, {json.dumps(number_format)})", **options)


def _nearest_tooltip(heading: str | None, fields: Mapping[str, tuple[str, str]]) -> Any:
    """Return the tooltip of the point nearest to the pointer.

    Vega-Lite 6 reads texts in such a tooltip from the cell around the point, where they are
    undefined, and not from the point. So the expression is written here, and finds the point from
    both: a cell holds it as its own ``datum``.

    Args:
        heading: the field that names the point; None: it needs no name.
        fields: from a title to a field and its number format.
    """
    import altair as alt

    point = "(datum.datum || datum)"
    parts = [] if heading is None else [f"title: {point}[{json.dumps(heading)}]"]
    parts += [
        f"{json.dumps(title)}: format({point}[{json.dumps(field)}], {json.dumps(number_format)})"
        for title, (field, number_format) in fields.items()
    ]
    return alt.value(alt.ExprRef("{" + ", ".join(parts) + "}"))


def _long_rows(
    records: Sequence[Record], series: Mapping[str, str], unit: str
) -> list[dict[str, Any]]:
    return [
        {
            "epoch": record["epoch"],
            unit: record.get(unit),
            "series": name,
            "value": record[field],
        }
        for record in _thinned(records)
        for field, name in series.items()
        if isinstance(record.get(field), int | float) and math.isfinite(record[field])
    ]


def _thinned(records: Sequence[Record]) -> list[Record]:
    """Return at most about `MOST_POINTS` records, evenly chosen, the last one among them."""
    step = max(1, math.ceil(len(records) / MOST_POINTS))
    return list(reversed(records[::-step]))
