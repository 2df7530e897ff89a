"""Scores by number of labels: intervals, differences of the same draws, and where signs change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretext.comparison.answers import KeptAnswers
from foretext.comparison.label_scores import (
    Estimate,
    LabelScores,
    MeasuredCell,
    crossing,
    estimated,
    t_limit,
)
from foretext.metrics.paired import share_tallies

LABELS = (20, 50, 100, 500)


def known(value: float) -> Estimate:
    return Estimate(value, value - 0.01, value + 0.01)


def unsure(value: float) -> Estimate:
    return Estimate(value, value - 0.5, value + 0.5)


def cell(name: str, labels: int, draw: int, right: float, rows: int = 400) -> MeasuredCell:
    """A candidate that has so many of its rows right, always the first ones."""
    hits = [place < round(right * rows) for place in range(rows)]
    score = float(np.mean(hits))
    answers = KeptAnswers(rows, "accuracy", {"accuracy": score}, share_tallies(hits), [])
    return MeasuredCell(name, labels, draw, answers)


def test_a_crossing_is_interpolated_over_logarithms() -> None:
    found = crossing(LABELS, [known(-0.1), known(-0.05), known(0.05), known(0.1)])
    assert found is not None
    assert found.labels == pytest.approx(math.sqrt(50 * 100))
    assert (found.low, found.high) == (50, 100)


def test_numbers_that_say_nothing_lie_within_a_crossing() -> None:
    found = crossing(LABELS, [known(-0.1), unsure(-0.01), unsure(0.03), known(0.1)])
    assert found is not None
    assert (found.low, found.high) == (20, 500)
    assert found.labels == pytest.approx(math.exp(0.75 * math.log(50) + 0.25 * math.log(100)))


def test_the_last_of_several_crossings_counts() -> None:
    found = crossing(LABELS, [known(0.1), known(-0.1), known(0.1), known(0.2)])
    assert found is not None
    assert (found.low, found.high) == (50, 100)


@pytest.mark.parametrize(
    "differences",
    [
        [known(0.1), known(0.1), known(0.2), known(0.1)],  # they never cross
        [unsure(-0.1), unsure(-0.1), unsure(0.1), unsure(0.1)],  # chance may explain all of it
        [unsure(-0.1), unsure(-0.1), known(0.1), known(0.1)],  # one side is not known
        [None, None, None, known(0.1)],
        [known(-0.1), None, None, None],
        [None] * 4,
    ],
)
def test_what_is_not_known_is_no_crossing(differences: list[Estimate | None]) -> None:
    assert crossing(LABELS, differences) is None


def test_numbers_that_were_not_measured_are_passed_over() -> None:
    found = crossing(LABELS, [known(-0.1), None, known(0.1), None])
    assert found is not None
    assert found.labels == pytest.approx(math.sqrt(20 * 100))


def test_the_interval_of_draws_is_that_of_student() -> None:
    each = [0.70, 0.74, 0.72]
    found = estimated(each, None)
    reach = 4.303 * np.std(each, ddof=1) / math.sqrt(3)
    assert found.value == pytest.approx(0.72)
    assert found.high - found.value == pytest.approx(reach)
    assert found.value - found.low == pytest.approx(reach)


def test_rows_alone_have_the_normal_limit_and_both_variances_are_added() -> None:
    rng = np.random.default_rng(0)
    samples = 0.7 + 0.02 * rng.standard_normal((2000, 1))
    alone = estimated([0.7], samples)
    assert alone.high - 0.7 == pytest.approx(1.96 * samples.std(), rel=1e-6)
    several = np.repeat(samples, 3, axis=1)
    both = estimated([0.70, 0.74, 0.72], several)
    assert both.high - both.value > alone.high - 0.7
    assert both.high - both.value < 4.303 * math.hypot(0.02, 0.0116)


@pytest.mark.parametrize(
    ("freedom", "limit"), [(1, 12.706), (2, 4.303), (4, 2.776), (20, 2.086), (math.inf, 1.96)]
)
def test_limits_of_student(freedom: float, limit: float) -> None:
    assert t_limit(freedom) == pytest.approx(limit, rel=0.005)


def test_candidates_are_compared_draw_by_draw() -> None:
    """Draws differ much, and one candidate is always four points better than the other."""
    cells = [
        cell(name, 20, draw, right + more)
        for draw, right in enumerate((0.5, 0.6, 0.7))
        for name, more in (("a", 0.0), ("b", 0.04))
    ]
    scores = LabelScores.measured(["a", "b"], cells)
    points = [scores.point(name, 20) for name in "ab"]
    assert all(point is not None and point.high - point.low > 0.3 for point in points)
    difference = scores.difference("b", "a", 20)
    assert difference is not None
    assert difference.value == pytest.approx(0.04)
    assert difference.sign == 1
    assert scores.best(20) == "b"


def test_equal_candidates_tie_and_those_that_were_not_measured_have_no_figure() -> None:
    cells = [cell(name, 20, draw, 0.6) for draw in range(3) for name in "ab"]
    scores = LabelScores.measured(["a", "b", "c"], [*cells, cell("a", 50, 0, 0.7)])
    difference = scores.difference("a", "b", 20)
    assert difference is not None
    assert difference.sign == 0
    assert scores.names == ("a", "b")
    assert scores.point("b", 50) is scores.difference("a", "b", 50) is None
    assert scores.deviation("a", 50) is None


def test_a_figure_that_is_no_number_counts_as_nothing() -> None:
    wrong = KeptAnswers(10, "spearman", {"spearman": math.nan}, None, [])
    scores = LabelScores.measured(["a"], [MeasuredCell("a", 20, 0, wrong)])
    assert scores.point("a", 20) == Estimate(0.0, 0.0, 0.0)
