"""Scores by number of labels: a line for each candidate, and where another one becomes better."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from foretext.messages import message, translated
from foretext.report.charts import chooser, legend_above, number_axis, specification
from foretext.report.comparison_costs import is_drawn
from foretext.report.comparison_files import LabelCurve, LabelLine, LabelPoint
from foretext.report.page import table
from foretext.report.task_card import figure_text

__all__ = ["label_chart", "label_failures", "label_table"]

HEIGHT = 340  # pixels
MARGIN = 1.25  # by which the logarithmic axis goes on beyond its points
APART = 1.02  # by which lines stand beside each other, so that their intervals can be seen


def label_chart(
    curve: LabelCurve | None, title: str, *, number_format: str = ".3~f"
) -> dict[str, Any] | None:
    """Draw scores over the number of labels, with intervals; None where nothing can be drawn.

    Args:
        curve: of one candidate or more; None: there is none.
        title: of the vertical axis.
        number_format: of its figures, as d3 writes it.
    """
    import altair as alt

    rows = [] if curve is None else list(_rows(curve))
    if curve is None or not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    chosen = chooser("labelled", names)
    is_chosen = f"labelled === {json.dumps(message('page.chart.all'))} || datum.name === labelled"
    ends = [min(row["x"] for row in rows) / MARGIN, max(row["x"] for row in rows) * MARGIN]
    across = alt.Scale(type="log", domain=ends, nice=False)
    axis = number_axis(",", grid=False, values=[each for each in curve.labels if each])
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("x:Q", title=message("page.labels.axis"), axis=axis, scale=across),
        y=alt.Y("value:Q", title=title, axis=number_axis(number_format, tickCount=6),
                scale=alt.Scale(zero=False)),
        color=alt.Color("name:N", sort=names, scale=alt.Scale(domain=names),
                        legend=legend_above(names) if len(names) > 1 else None),
    )  # fmt: skip
    if len(names) > 1:
        base = base.encode(opacity=alt.condition(is_chosen, alt.value(1), alt.value(0.12)))
    lines = base.mark_line(strokeWidth=2)
    reaches = base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q", detail="x:Q")
    points = base.mark_point(filled=True, size=52).encode(
        tooltip=[
            alt.Tooltip("name:N", title=message("page.chart.candidate")),
            alt.Tooltip("labels:Q", title=translated("labels"), format=","),
            alt.Tooltip("value:Q", title=title, format=number_format),
            alt.Tooltip("interval:N", title="95 %"),
            alt.Tooltip("draws:Q", title=translated("draws")),
        ]
    )
    drawn = reaches + lines + points
    drawn = drawn.add_params(chosen) if len(names) > 1 else drawn
    return specification(
        drawn + _crossing(curve, across), message("page.labels.description", title=title), HEIGHT
    )


def label_table(curve: LabelCurve | None, judged_by: str) -> dict[str, list[Any]]:
    """Return a row for each candidate, with its score at each number of labels."""
    labels = [] if curve is None else curve.labels
    found = table(
        [
            {message("page.chart.candidate"): line.name}
            | {f"{number:,}": _shown(line, number, judged_by) for number in labels}
            for line in ([] if curve is None else curve.lines)
        ]
    )
    return {**found, "numeric": [False, *[True] * len(labels)]}


def label_failures(curve: LabelCurve | None) -> list[tuple[str, str]]:
    """Return the name and the sentence of each training that failed."""
    return [
        (
            message("page.labels.failure", name=each.name, labels=each.labels, draw=each.draw + 1),
            translated(each.sentence),
        )
        for each in ([] if curve is None else curve.cells)
        if each.sentence
    ]


def _rows(curve: LabelCurve) -> Iterator[dict[str, Any]]:
    middle = (len(curve.lines) - 1) / 2
    for index, line in enumerate(curve.lines):
        for point in line.points:
            if all(is_drawn(each) for each in (point.value, point.low, point.high)):
                yield {
                    "name": line.name,
                    **point.model_dump(include={"labels", "value", "low", "high", "draws"}),
                    "x": point.labels * APART ** (index - middle),
                    "interval": _interval(point),
                }


def _crossing(curve: LabelCurve, across: Any) -> Any:
    """Return a vertical line where another candidate becomes better, with its number."""
    import altair as alt

    found = curve.crossing
    rows: Sequence[dict[str, Any]] = [] if found is None else [{"at": found.labels}]
    base = alt.Chart(alt.InlineData(values=[*rows])).encode(x=alt.X("at:Q", scale=across))
    rule = base.mark_rule(strokeDash=[4, 4], strokeWidth=1.5)
    said = "" if found is None else message("page.labels.about", about=found.about)
    text = base.mark_text(align="left", dx=5, dy=4, fontSize=12, baseline="top")
    return rule + text.encode(y=alt.value(0), text=alt.value(said))


def _shown(line: LabelLine, number: int, judged_by: str) -> str:
    point = next((each for each in line.points if each.labels == number), None)
    if point is None:
        return "–"
    value, reach = (
        figure_text(judged_by, each) for each in (point.value, (point.high - point.low) / 2)
    )
    return f"{value} ± {reach}{_mark(point)}"


def _interval(point: LabelPoint) -> str:
    return message("page.chart.interval", low=f"{point.low:.3f}", high=f"{point.high:.3f}")


def _mark(point: LabelPoint) -> str:
    return " *" if point.is_best else " =" if point.is_tie else ""
