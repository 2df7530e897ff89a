"""How candidates learned over time: scores of the task, and losses of the pretraining before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from foretext.messages import message
from foretext.report.axes import Words, digits, figure, linear, logarithmic, named_time
from foretext.report.charts import thinned
from foretext.report.comparison_costs import TIMES, group_color, is_drawn
from foretext.report.comparison_files import ComparedCandidate
from foretext.report.page import duration
from foretext.report.plot import Plot, said

__all__ = ["Part", "TimeRow", "drawn_points", "learning_chart", "loss_chart", "time_rows"]

HEIGHT, LOSS_HEIGHT = 320, 110  # pixels
MOST_POINTS = 200  # of a curve
MOST_STOPS = 60  # of a loss, which say its values
FEWEST_POINTS = 2  # of a curve, in one of them at least
FEW_POINTS = 30  # up to here each point of a curve is marked
EARLIEST = 0.1  # seconds: where a logarithmic axis of time begins
MARGIN = 1.1  # by which that axis goes on beyond its points

Point = tuple[float, float]  # seconds, and a score or loss

PARTS = ("shared", "pretraining", "finetuning")
REST = "other"  # opening, answering, measuring


def learning_chart(
    candidates: Sequence[ComparedCandidate], title: str, *, words: Words = digits
) -> str | None:
    """Draw scores over the time since each candidate began, dashed where they are a forecast.

    None where no candidate has a curve of several points.

    Args:
        candidates: of each, its last round is drawn.
        title: of the vertical axis.
        words: of its figures.
    """
    drawn = [each for each in map(_drawn, candidates) if each.points]
    if all(len(each.points) < FEWEST_POINTS for each in drawn):
        return None
    every = [point for each in drawn for point in (*each.points, *each.ahead)]
    times = [seconds for seconds, _ in every]
    across = logarithmic(min(times) / MARGIN, max(times) * MARGIN,
                         message("comparison.curves.time"), named_time, TIMES)  # fmt: skip
    plot = Plot(across, linear((value for _, value in every), title, words), HEIGHT, title)
    if len(drawn) > 1:
        plot.choices([each.name for each in drawn])
    for number, each in enumerate(drawn):
        _draw(plot, number, each, title, words)
    return plot.html()


def loss_chart(name: str, curve: Sequence[Point]) -> str:
    """Draw the loss of one pretraining over its seconds, small."""
    points = thinned(curve, MOST_POINTS)
    across = linear((x for x, _ in points), "", named_time, count=3, nice=False, has_grid=False)
    up = linear((y for _, y in points), "", digits, count=3)
    plot = Plot(across, up, LOSS_HEIGHT, message("comparison.curves.loss", name=name))
    plot.line(points)
    stops = thinned(points, MOST_STOPS)
    for seconds, loss in stops:
        values = {message("comparison.curves.seconds"): f"{seconds:,.1f}",
                  message("comparison.curves.loss_axis"): f"{loss:.4g}"}  # fmt: skip
        plot.stop(seconds, 1 / len(stops), [(loss, 1)], said(values))
    return plot.html()


def drawn_points(curve: Sequence[Point]) -> list[Point]:
    """Return the points whose score or loss is a number."""
    return [point for point in curve if is_drawn(point[1])]


class _Drawn(NamedTuple):
    """What is drawn of a candidate."""

    name: str
    color: int
    points: list[Point]
    ahead: list[Point]  # of the forecast: one or none


def _drawn(candidate: ComparedCandidate) -> _Drawn:
    """Return the points of the last round, and the forecast, both from `EARLIEST` on."""
    curve = drawn_points(candidate.rounds[-1].curve) if candidate.rounds else []
    points = [(max(seconds, EARLIEST), value) for seconds, value in thinned(curve, MOST_POINTS)]
    forecast = candidate.forecast
    ahead = []
    if forecast is not None and is_drawn(forecast.value):
        ahead.append((max(forecast.seconds, EARLIEST), forecast.value))
    return _Drawn(candidate.name, group_color(candidate.group), points, ahead)


def _draw(plot: Plot, number: int, drawn: _Drawn, title: str, words: Words) -> None:
    """Draw a curve, and the line from its end to the forecast."""
    plot.line(drawn.points, drawn.color, series=number)
    if drawn.ahead:
        plot.line([drawn.points[-1], *drawn.ahead], drawn.color, series=number, kind="dashed")
    for kind, points in (("measured", drawn.points), ("forecast", drawn.ahead)):
        is_marked = kind == "forecast" or len(points) <= FEW_POINTS
        for seconds, value in points:
            values = {
                message("page.chart.candidate"): drawn.name,
                title: words(value),
                message("comparison.curves.seconds"): figure(seconds),
                message("comparison.curves.figure"): message(f"comparison.curves.{kind}"),
            }
            look = "hollow" if kind == "forecast" else "" if is_marked else "unseen"
            plot.dot(seconds, value, drawn.color, title=said(values), series=number, kind=look)


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
