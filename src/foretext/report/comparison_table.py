"""The tables of a comparison's page: how good each candidate is, and where its time went."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from foretext.messages import has_message, message
from foretext.progress import human_bytes, human_count
from foretext.report.comparison_costs import group_color, is_drawn
from foretext.report.comparison_files import ComparedCandidate, ComparisonFacts, Measured
from foretext.report.page import cell, duration
from foretext.report.task_card import POINTS, figure_text

__all__ = [
    "Bar",
    "LeaderRow",
    "Mark",
    "cost_rows",
    "group_name",
    "interval_scale",
    "leader_rows",
    "left_out",
    "ranks",
]

LEFT_OUT = "left out"
MARGIN = 0.04  # of the scale, on both sides of all intervals


class Bar(NamedTuple):
    """An interval on a scale: places in percent."""

    left: float
    width: float
    middle: float


class Mark(NamedTuple):
    """What stands beside a candidate's name."""

    kind: str  # such as "recommended"
    words: str


class LeaderRow(NamedTuple):
    """A candidate in the table of figures, as text."""

    rank: int | None
    name: str
    group: str
    color: int  # number of the group
    marks: list[Mark]
    sentence: str | None  # in place of figures
    figure: str
    interval: str
    bar: Bar | None
    difference: str  # to the best one
    difference_interval: str
    valid: str
    fit: str
    use: str


def ranks(candidates: Sequence[ComparedCandidate]) -> dict[str, int]:
    """Return the place of each candidate that has figures, by name; the best has 1."""
    measured = [each.name for each in candidates if _has_figure(each.test)]
    return {name: place for place, name in enumerate(measured, 1)}


def leader_rows(facts: ComparisonFacts) -> list[LeaderRow]:
    """Return a row for each that took part, the best first; those without figures come last."""
    places, scale = ranks(facts.candidates), interval_scale(facts)
    taking_part = [each for each in facts.candidates if each.status != LEFT_OUT]
    rows = [_leader_row(each, facts, places.get(each.name), scale) for each in taking_part]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0))


def interval_scale(facts: ComparisonFacts) -> tuple[float, float] | None:
    """Return the ends of a scale that all intervals fit on; None: there is none.

    It does not go on where the figure cannot: below 0, and above 1 or 100.
    """
    bounds = [bound for each in facts.candidates if each.test for bound in _bounds(each.test)]
    if not bounds:
        return None
    low, high = min(bounds), max(bounds)
    room = MARGIN * (high - low) or 0.01
    most = 100.0 if facts.judged_by in POINTS else 1.0
    return (
        max(low - room, 0.0) if low >= 0 else low - room,
        min(high + room, most) if high <= most else high + room,
    )


def left_out(candidates: Sequence[ComparedCandidate]) -> list[tuple[str, list[str]]]:
    """Return why candidates took no part, and the names that a reason is given for."""
    found: dict[str, list[str]] = {}
    for each in candidates:
        if each.status == LEFT_OUT:
            found.setdefault(each.sentence or "", []).append(each.name)
    return list(found.items())


def cost_rows(candidates: Sequence[ComparedCandidate]) -> list[dict[str, str]]:
    """Return what each candidate with figures costs, as text."""
    return [
        {
            message("comparison.column.candidate"): each.name,
            message("comparison.column.fit"): _fit(each),
            message("comparison.column.use"): _use(each.milliseconds_per_row),
            message("comparison.column.batches"): _use(each.milliseconds_in_batches),
            message("comparison.column.disk"): human_bytes(each.disk_bytes)
            if each.disk_bytes
            else "–",
            message("comparison.column.memory"): human_bytes(each.memory_bytes)
            if each.memory_bytes
            else "–",
            message("comparison.column.parameters"): human_count(each.parameters)
            if each.parameters
            else "–",
        }
        for each in candidates
        if _has_figure(each.test)
    ]


def _leader_row(
    each: ComparedCandidate,
    facts: ComparisonFacts,
    rank: int | None,
    scale: tuple[float, float] | None,
) -> LeaderRow:
    figure = facts.judged_by
    difference, difference_interval = _difference(each, figure, rank)
    has_figure, found = rank is not None and each.test is not None, each.test
    return LeaderRow(
        rank=rank,
        name=each.name,
        group=group_name(each.group),
        color=group_color(each.group),
        marks=list(_marks(each, facts, rank)),
        sentence=None if has_figure else each.sentence or message("comparison.no_figures"),
        figure=figure_text(figure, found.value) if has_figure and found else "",
        interval=_interval(figure, found),
        bar=_bar(found, scale) if has_figure and found and scale else None,
        difference=difference,
        difference_interval=difference_interval,
        valid=_valid(each, figure),
        fit=_fit(each),
        use=_use(each.milliseconds_per_row),
    )


def _marks(each: ComparedCandidate, facts: ComparisonFacts, rank: int | None) -> Iterator[Mark]:
    if facts.recommendation is not None and facts.recommendation.name == each.name:
        yield _mark("recommended")
    against = each.against_best
    if each.not_learned is not None:
        yield _mark("has_not_learned")
    elif rank is not None and rank > 1 and against is not None and against.is_tie:
        yield _mark("tie")
    if each.status == "dropped" and each.rounds:
        said = message("comparison.mark.dropped_in", round=each.rounds[-1].round)
        yield Mark("dropped", said)
    elif each.status != "finished":
        yield _mark(each.status.replace(" ", "_"))


def _mark(name: str) -> Mark:
    return Mark(name.partition("_")[0], message(f"comparison.mark.{name}"))


def group_name(group: str) -> str:
    """Return what a group of candidates is called; one that nobody knows as it stands."""
    key = f"comparison.group.{group.replace(' ', '_')}"
    return message(key) if has_message(key) else group


def _interval(figure: str, found: Measured | None) -> str:
    if found is None or found.low is None or found.high is None:
        return ""
    return _reach(figure_text(figure, found.low), figure_text(figure, found.high))


def _reach(low: str, high: str) -> str:
    return message("page.chart.interval", low=low, high=high)


def _difference(each: ComparedCandidate, figure: str, rank: int | None) -> tuple[str, str]:
    """Return by how much a candidate is worse than the best one, and the interval of that."""
    found = each.against_best
    if found is None or rank is None or rank == 1:
        return "–", ""
    value = _signed(figure, found.value)
    if found.low is None or found.high is None:
        return value, ""
    return value, _reach(_signed(figure, found.low), _signed(figure, found.high))


def _valid(each: ComparedCandidate, figure: str) -> str:
    if each.valid is None or not math.isfinite(each.valid.mean):
        return "–"
    mean = figure_text(figure, each.valid.mean)
    deviation = each.valid.deviation
    return mean if deviation is None else f"{mean} ± {figure_text(figure, deviation)}"


def _bar(found: Measured, scale: tuple[float, float]) -> Bar:
    low, high = scale
    bounds = _bounds(found)
    left, right, middle = (
        100 * (value - low) / (high - low) for value in (min(bounds), max(bounds), found.value)
    )
    return Bar(left, right - left, middle)


def _bounds(found: Measured) -> list[float]:
    values = (found.value, found.low, found.high)
    return [value for value in values if value is not None and is_drawn(value)]


def _has_figure(found: Measured | None) -> bool:
    return found is not None and is_drawn(found.value)


def _signed(figure: str, value: float) -> str:
    text = figure_text(figure, abs(value))
    return f"{'−' if value < 0 else '+'}{text}" if float(text) else text


def _fit(each: ComparedCandidate) -> str:
    return "–" if each.seconds is None else duration(each.seconds.fit)


def _use(milliseconds: float | None) -> str:
    """Return about three digits: 12.3, 0.021."""
    if milliseconds is None:
        return "–"
    return f"{milliseconds:.3g}" if milliseconds < 1000 else cell(round(milliseconds))
