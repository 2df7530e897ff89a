"""All charts of a comparison's page, by their names in the template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from foretext.progress import human_bytes
from foretext.report.cells import duration
from foretext.report.comparison_costs import DISK, FIT, USE, Costed, cost_chart, is_drawn
from foretext.report.comparison_curves import drawn_points, learning_chart, loss_chart
from foretext.report.comparison_files import ComparedCandidate, ComparisonFacts
from foretext.report.comparison_table import ranks
from foretext.report.task_card import POINTS, figure_name

__all__ = ["comparison_charts", "loss_charts"]

FEWEST_CANDIDATES = 2  # of a picture that compares them
FEWEST_POINTS = 2  # of a curve that is drawn


def comparison_charts(facts: ComparisonFacts) -> dict[str, dict[str, Any]]:
    """Return pictures of quality against cost, and of the learning curves: those that there are."""
    name = figure_name(facts.judged_by)
    number_format = ".1f" if facts.judged_by in POINTS else ".3f"
    charts = {}
    for key, cost, of, words in (
        ("fit", FIT, _fit_seconds, duration),
        ("use", USE, lambda each: each.milliseconds_per_row, lambda value: f"{value:.3g} ms"),
        ("disk", DISK, lambda each: each.disk_bytes, human_bytes),
    ):
        costed = list(_costed(facts.candidates, of, words))
        if len(costed) >= FEWEST_CANDIDATES:
            charts[key] = cost_chart(costed, cost, name, number_format=number_format)
    scores = learning_chart(facts.candidates, f"{name}, held-out rows", number_format=number_format)
    return charts | ({} if scores is None else {"scores": scores})


def loss_charts(
    candidates: Sequence[ComparedCandidate],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and loss of each candidate that was pretrained, of its last round."""
    for each in candidates:
        curves = [drawn_points(found.pretraining_curve) for found in each.rounds]
        drawn = [curve for curve in curves if len(curve) >= FEWEST_POINTS]
        if drawn:
            yield each.name, loss_chart(each.name, drawn[-1])


def _fit_seconds(each: ComparedCandidate) -> float | None:
    return each.seconds.fit if each.seconds else None


def _costed(
    candidates: Sequence[ComparedCandidate],
    of: Callable[[ComparedCandidate], float | None],
    words: Callable[[float], str],
) -> Iterator[Costed]:
    """Yield the candidates that have a figure and a cost."""
    places = ranks(candidates)
    for each in candidates:
        cost = of(each)
        if each.name in places and each.test is not None and cost and is_drawn(cost):
            yield Costed(
                places[each.name], each.name, each.group, each.test.value, cost, words(cost)
            )
