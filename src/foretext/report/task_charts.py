"""The charts of a trained task: who is taken for whom, how sure it is, and beside what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.report.charts import legend_above, specification

__all__ = ["beside_chart", "confusion_chart", "matrix_width", "reliability_chart", "score_chart"]

FEW_LABELS = 14  # of which a confusion matrix has room beside another chart
MANY_LABELS = 25  # from which on its cells have no room for counts
STRONG = 0.35  # share of a row from which on a cell is dark
SQUARE_HEIGHT = 340  # pixels, of a chart that has another one beside it
NAMES_WIDTH = 190  # pixels, of names beside a matrix and its edges
LONGEST_NAME = 18  # characters of such a name
ROOM = 60  # characters that labels have below a matrix
CELL = 24  # pixels: the least width and height of a cell


def confusion_chart(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Draw a confusion matrix: a row a right label, shaded by its share of the row.

    Args:
        labels: C names, from 2 to about 40.
        counts: (C, C), how often the label of the row was taken for the label of the column.
    """
    import altair as alt

    rows, columns = _axis_names(labels)
    cells = [
        {
            "right": labels[i], "given": labels[j], "row": rows[i], "column": columns[j],
            "count": count, "share": share, "strong": share > STRONG,
        }
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for share in [count / max(sum(row), 1)]
    ]  # fmt: skip
    across = alt.Axis(grid=False, labelAngle=0, labelOverlap=False)
    down = alt.Axis(grid=False, labelLimit=0)  # names are short already
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("column:N", title="given", sort=columns, axis=across),
        y=alt.Y("row:N", title="right", sort=rows, axis=down),
        tooltip=[
            "right:N",
            "given:N",
            alt.Tooltip("count:Q", format=","),
            alt.Tooltip("share:Q", title="share of the right label", format=".1%"),
        ],
    )
    # Of a linear scale the confusions that matter, of some hundredths, would not be seen.
    shades = alt.Scale(type="sqrt", domain=[0, 1], interpolate="rgb")
    chart = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color("share:Q", scale=shades, legend=None)
    )
    if len(labels) <= MANY_LABELS:
        inks = alt.Scale(domain=[False, True], range="ordinal")
        numbers = base.transform_filter("datum.count > 0").mark_text(
            fontSize=12 if len(labels) <= FEW_LABELS else 10
        )
        numbers = numbers.encode(
            text=alt.Text("count:Q", format=","),
            color=alt.Color("strong:N", scale=inks, legend=None),
        )
        chart = (chart + numbers).resolve_scale(color="independent")
    return specification(chart, "Confusion matrix", max(SQUARE_HEIGHT, CELL * len(labels)))


def matrix_width(labels: Sequence[str]) -> int:
    """Return the least width of a readable confusion matrix, in pixels."""
    return NAMES_WIDTH + CELL * len(labels)


def _axis_names(labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names of rows and columns; where labels are long, columns have numbers alone."""
    if len(labels) * max(map(len, labels)) <= ROOM:
        return list(labels), list(labels)
    rows = [f"{_shortened(name)} {number}" for number, name in enumerate(labels, 1)]
    return rows, [str(number) for number in range(1, len(labels) + 1)]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def reliability_chart(bins: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Draw accuracy over confidence; the diagonal is a model that is as sure as it should be.

    Args:
        bins: records with ``low high size confidence accuracy``.
    """
    import altair as alt

    whole = alt.Scale(domain=[0, 1])
    percent = alt.Axis(format=".0%", tickCount=5)
    bars = alt.Chart(alt.InlineData(values=[dict(each) for each in bins]))
    bars = bars.mark_bar(opacity=0.3).encode(
        x=alt.X("low:Q", title="confidence", scale=whole, axis=percent, bin="binned"),
        x2="high:Q",
        y=alt.Y("accuracy:Q", title="accuracy", scale=whole, axis=percent),
    )
    dots = alt.Chart(alt.InlineData(values=[dict(each) for each in bins]))
    dots = dots.mark_circle(opacity=0.95).encode(
        x=alt.X("confidence:Q", title="confidence", scale=whole, axis=percent),
        y=alt.Y("accuracy:Q", title="accuracy", scale=whole, axis=percent),
        size=alt.Size("size:Q", scale=alt.Scale(type="sqrt", range=[25, 420]), legend=None),
        tooltip=[
            alt.Tooltip("size:Q", title="answers", format=","),
            alt.Tooltip("confidence:Q", title="mean confidence", format=".1%"),
            alt.Tooltip("accuracy:Q", format=".1%"),
        ],
    )
    return specification(bars + _diagonal(0, 1) + dots, "Reliability", SQUARE_HEIGHT)


def score_chart(points: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Draw given scores over right ones, from pairs (right, given)."""
    import altair as alt

    values = [{"right": right, "given": given} for right, given in points]
    low, high = (bound(each[0] for each in points) for bound in (min, max))
    dots = alt.Chart(alt.InlineData(values=values)).mark_circle(size=38, opacity=0.45)
    dots = dots.encode(
        x=alt.X("right:Q", title="right", scale=alt.Scale(zero=False)),
        y=alt.Y("given:Q", title="given", scale=alt.Scale(zero=False)),
        tooltip=[alt.Tooltip("right:Q", format=".3~f"), alt.Tooltip("given:Q", format=".3~f")],
    )
    return specification(_diagonal(low, high) + dots, "Scores", SQUARE_HEIGHT)


def beside_chart(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], *, highest: int = 1
) -> dict[str, Any]:
    """Draw bars of figures, those of several models beside each other.

    Args:
        rows: records with ``figure``, ``model`` and ``value``.
        names: of the models, in their order.
        highest: value that a figure can have: 1, or 100 of figures in points.
    """
    import altair as alt

    figures = list(dict.fromkeys(row["figure"] for row in rows))
    series = alt.Scale(domain=list(names))
    lowest = min(0.0, *(row["value"] for row in rows))
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        y=alt.Y("figure:N", title=None, sort=figures, axis=alt.Axis(grid=False, labelLimit=200)),
        yOffset=alt.YOffset("model:N", sort=list(names)),
        x=alt.X(
            "value:Q",
            title=None,
            scale=alt.Scale(domain=[lowest, highest]),
            axis=alt.Axis(format=".0%" if highest == 1 else "d", tickCount=5),
        ),
        tooltip=["model:N", "figure:N", alt.Tooltip("value:Q", format=".4f")],
    )
    bars = base.mark_bar(cornerRadiusEnd=3).encode(
        color=alt.Color(
            "model:N",
            scale=series,
            legend=legend_above(names, symbolType="square"),
        )
    )
    text = alt.Text("value:Q", format=".3f" if highest == 1 else ".1f")
    values = base.mark_text(align="left", dx=5).encode(text=text)
    return specification(bars + values, "Figures", 40 + 24 * len(rows))


def _diagonal(low: float, high: float) -> Any:
    import altair as alt

    ends = [{"x": low, "y": low}, {"x": high, "y": high}]
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(strokeDash=[5, 4], opacity=0.6)
    return line.encode(x="x:Q", y="y:Q")
