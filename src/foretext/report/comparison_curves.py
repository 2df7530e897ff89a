"""How candidates learned over time: scores of the task, and losses of the pretraining before."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foretext.messages import message
from foretext.report.charts import chooser, number_axis, specification
from foretext.report.comparison_costs import GROUPS, TIMES, group_color, is_drawn, time_labels
from foretext.report.comparison_files import ComparedCandidate
from foretext.report.page import duration

__all__ = ["Part", "TimeRow", "drawn_points", "learning_chart", "loss_chart", "time_rows"]

HEIGHT, LOSS_HEIGHT = 320, 110  # pixels
MOST_POINTS = 200  # of a curve
FEWEST_POINTS = 2  # of a curve, in one of them at least
FEW_POINTS = 30  # up to here each point of a curve is marked
EARLIEST = 0.1  # seconds: where a logarithmic axis of time begins
MARGIN = 1.1  # by which that axis goes on beyond its points

Point = tuple[float, float]  # seconds, and a score or loss

PARTS = ("shared", "pretraining", "finetuning")
REST = "other"  # opening, answering, measuring


def learning_chart(
    candidates: Sequence[ComparedCandidate], title: str, *, number_format: str = ".3~f"
) -> dict[str, Any] | None:
    """Draw scores over the time since each candidate began, dashed where they are a forecast.

    None where no candidate has a curve of several points.

    Args:
        candidates: of each, its last round is drawn.
        title: of the vertical axis.
        number_format: of its figures, as d3 writes it.
    """
    import altair as alt

    curves = [list(_score_rows(each)) for each in candidates]
    if all(len(curve) < FEWEST_POINTS for curve in curves):
        return None
    rows = [row for curve in curves for row in curve]
    names = list(dict.fromkeys(row["name"] for row in rows))
    chosen = chooser("chosen", names)
    is_chosen = f"chosen === {json.dumps(message('page.chart.all'))} || datum.name === chosen"
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("seconds:Q", title=message("comparison.curves.time"), axis=_time_axis(rows),
                scale=alt.Scale(type="log", domain=_times(rows), nice=False)),
        y=alt.Y("value:Q", title=title, axis=number_axis(number_format, tickCount=6),
                scale=alt.Scale(domain=_range(rows, "value"), zero=False, nice=True)),
        detail="name:N",
        color=alt.Color("group:N", scale=alt.Scale(domain=GROUPS), legend=None),
        opacity=alt.condition(is_chosen, alt.value(0.9), alt.value(0.08)),
        tooltip=[
            alt.Tooltip("name:N", title=message("page.chart.candidate")),
            alt.Tooltip("value:Q", title=title, format=number_format),
            alt.Tooltip("seconds:Q", title=message("comparison.curves.seconds"), format=",.3~f"),
            alt.Tooltip("said:N", title=message("comparison.curves.figure")),
        ],
    )  # fmt: skip
    measured = base.transform_filter("datum.kind === 'measured'")
    forecast = base.transform_filter("datum.goes_on")
    lines = measured.mark_line(strokeWidth=2) + forecast.mark_line(strokeDash=[3, 3])
    points = measured.transform_filter("datum.marked").mark_circle(size=36)
    ends = base.transform_filter("datum.kind === 'forecast'").mark_point(size=70, filled=False)
    return specification((lines + points + ends).add_params(chosen), title, HEIGHT)


def loss_chart(name: str, curve: Sequence[Point]) -> dict[str, Any]:
    """Draw the loss of one pretraining over its seconds, small."""
    import altair as alt

    rows = [{"seconds": seconds, "loss": loss} for seconds, loss in _thinned(curve)]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line(strokeWidth=2)
    chart = chart.encode(
        x=alt.X("seconds:Q", title=None,
                axis=alt.Axis(labelExpr=time_labels(), grid=False, tickCount=3)),
        y=alt.Y("loss:Q", title=None, axis=number_axis(".3~g", tickCount=3),
                scale=alt.Scale(zero=False)),
        tooltip=[
            alt.Tooltip("seconds:Q", title=message("comparison.curves.seconds"), format=",.1f"),
            alt.Tooltip("loss:Q", title=message("comparison.curves.loss_axis"), format=".4~g"),
        ],
    )  # fmt: skip
    return specification(chart, message("comparison.curves.loss", name=name), LOSS_HEIGHT)


def drawn_points(curve: Sequence[Point]) -> list[Point]:
    """Return the points whose score or loss is a number."""
    return [point for point in curve if is_drawn(point[1])]


def _score_rows(candidate: ComparedCandidate) -> Iterator[dict[str, Any]]:
    """Yield the points of the last round; its end is the beginning of the forecast, too."""
    curve = _thinned(drawn_points(candidate.rounds[-1].curve)) if candidate.rounds else []
    named = {"name": candidate.name, "group": candidate.group, "marked": len(curve) <= FEW_POINTS}
    forecast = candidate.forecast
    has_forecast = forecast is not None and is_drawn(forecast.value)
    for number, (seconds, value) in enumerate(curve, 1):
        yield {**named, "seconds": max(seconds, EARLIEST), "value": value, "kind": "measured",
               "said": message("comparison.curves.measured"),
               "goes_on": has_forecast and number == len(curve)}  # fmt: skip
    if curve and has_forecast and forecast is not None:
        yield {**named, "seconds": max(forecast.seconds, EARLIEST), "value": forecast.value,
               "kind": "forecast", "said": message("comparison.curves.forecast"),
               "goes_on": True}  # fmt: skip


def _range(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """Return the least and the largest value: Vega finds none in a layer that has no rows."""
    return [min(row[name] for row in rows), max(row[name] for row in rows)]


def _times(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the ends of an axis of time."""
    first, last = _range(rows, "seconds")
    return [first / MARGIN, last * MARGIN]


def _time_axis(rows: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    first, last = _times(rows)
    marks = [mark for mark in TIMES if first <= mark <= last]
    return alt.Axis(
        labelExpr=time_labels(), grid=False, values=marks if len(marks) > 1 else alt.Undefined
    )


def _thinned(curve: Sequence[Point]) -> list[Point]:
    """Return at most about `MOST_POINTS` points, the last one among them."""
    step = max(1, math.ceil(len(curve) / MOST_POINTS))
    return list(reversed(curve[::-step]))


class Part(NamedTuple):
    """A stretch of a candidate's time."""

    kind: str
    percent: float  # of the widest row
    words: str


class TimeRow(NamedTuple):
    """What a candidate was given, and what it used, as text; and as a bar."""

    name: str
    color: int
    parts: list[Part]
    given_percent: float
    given: str
    used: str
    shared: str
    pretraining: str
    finetuning: str
    rounds: int


def time_rows(candidates: Sequence[ComparedCandidate]) -> list[TimeRow]:
    """Return a row for each candidate that had time; all bars have the same scale."""
    timed = [each for each in candidates if each.rounds]
    widest = max((max(_given(each), _spent(each)) for each in timed), default=0.0) or 1.0
    return [_time_row(each, widest) for each in timed]


def _time_row(each: ComparedCandidate, widest: float) -> TimeRow:
    sums = {kind: sum(seconds[kind] for seconds in _seconds(each)) for kind in (*PARTS, REST)}
    return TimeRow(
        name=each.name,
        color=group_color(each.group),
        parts=list(_parts(each, widest)),
        given_percent=100 * _given(each) / widest,
        given=duration(_given(each)),
        used=duration(sum(found.used for found in each.rounds)),
        shared=_spent_on(sums["shared"]),
        pretraining=_spent_on(sums["pretraining"]),
        finetuning=_spent_on(sums["finetuning"]),
        rounds=len(each.rounds),
    )


def _spent_on(seconds: float) -> str:
    return duration(seconds) if seconds > 0 else "–"


def _parts(each: ComparedCandidate, widest: float) -> Iterator[Part]:
    for number, seconds in enumerate(_seconds(each), 1):
        key = f"comparison.time.part{'_of_round' if len(each.rounds) > 1 else ''}"
        for kind in (*PARTS, REST):
            if seconds[kind] > 0:
                words, time = message(f"comparison.time.{kind}"), duration(seconds[kind])
                said = message(key, words=words, round=number, time=time)
                yield Part(kind, 100 * seconds[kind] / widest, said)


def _seconds(each: ComparedCandidate) -> Iterator[dict[str, float]]:
    """Yield, for each round, what was spent on what; shared work is a part of the pretraining."""
    for found in each.rounds:
        known = {
            "shared": found.shared,
            "pretraining": max(0.0, found.pretraining - found.shared),
            "finetuning": found.finetuning,
        }
        yield {**known, REST: max(0.0, found.used - sum(known.values()))}


def _given(each: ComparedCandidate) -> float:
    return sum(found.given for found in each.rounds)


def _spent(each: ComparedCandidate) -> float:
    return sum(sum(seconds.values()) for seconds in _seconds(each))
