"""Scores by number of labels: a line for each candidate, and where another one becomes better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from foretext.messages import message, translated
from foretext.report.axes import Words, decimals, digits, linear, logarithmic
from foretext.report.comparison_costs import is_drawn
from foretext.report.comparison_files import LabelCurve, LabelLine, LabelPoint
from foretext.report.page import table
from foretext.report.plot import Plot, said
from foretext.report.task_card import figure_text

__all__ = ["label_chart", "label_failures", "label_table"]

HEIGHT = 340  # pixels
MARGIN = 1.25  # by which the logarithmic axis goes on beyond its points
APART = 1.02  # by which lines stand beside each other, so that their intervals can be seen


def label_chart(curve: LabelCurve | None, title: str, *, words: Words = digits) -> str | None:
    """Draw scores over the number of labels, with intervals; None where nothing can be drawn.

    Args:
        curve: of one candidate or more; None: there is none.
        title: of the vertical axis.
        words: of its figures.
    """
    lines = [] if curve is None else [each for each in _lines(curve) if each[1]]
    if curve is None or not lines:
        return None
    numbers = [x for _, points in lines for x, _ in points]
    reached = [value for _, points in lines for _, point in points
               for value in (point.low, point.high, point.value)]  # fmt: skip
    marks = [each for each in curve.labels if each]
    across = logarithmic(min(numbers) / MARGIN, max(numbers) * MARGIN,
                         message("page.labels.axis"), decimals(0), marks)  # fmt: skip
    about = message("page.labels.description", title=title)
    plot = Plot(across, linear(reached, title, words), HEIGHT, about)
    names = [name for name, _ in lines]
    if len(names) > 1:
        plot.legend(names)
        plot.choices(names)
    for number, (name, points) in enumerate(lines):
        _draw(plot, number, name, points, title, words)
    _cross(plot, curve)
    return plot.html()


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


def _lines(curve: LabelCurve) -> Iterator[tuple[str, list[tuple[float, LabelPoint]]]]:
    """Yield the name of each candidate with its points, and where they stand across."""
    middle = (len(curve.lines) - 1) / 2
    for index, line in enumerate(curve.lines):
        shift = APART ** (index - middle)
        yield (
            line.name,
            [(point.labels * shift, point) for point in line.points if _is_drawn(point)],
        )


def _is_drawn(point: LabelPoint) -> bool:
    return point.labels > 0 and all(map(is_drawn, (point.value, point.low, point.high)))


def _draw(
    plot: Plot,
    number: int,
    name: str,
    points: Sequence[tuple[float, LabelPoint]],
    title: str,
    words: Words,
) -> None:
    color = number + 1
    for x, point in points:
        plot.line([(x, point.low), (x, point.high)], color, series=number)
    plot.line([(x, point.value) for x, point in points], color, series=number)
    for x, point in points:
        values = {
            message("page.chart.candidate"): name,
            translated("labels"): f"{point.labels:,}",
            title: words(point.value),
            "95 %": _interval(point),
            translated("draws"): f"{point.draws}",
        }
        plot.dot(x, point.value, color, title=said(values), series=number)


def _cross(plot: Plot, curve: LabelCurve) -> None:
    """Draw a vertical line where another candidate becomes better, with its number."""
    if curve.crossing is not None:
        at, low, high = curve.crossing.labels, plot.up.low, plot.up.high
        plot.rule((at, low), (at, high), kind="dashed")
        text = message("page.labels.about", about=curve.crossing.about)
        plot.text(at, high, text, shift=(5.0, 10.0), anchor="start")


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
