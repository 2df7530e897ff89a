from __future__ import annotations

import json
from typing import Any

from foretext.comparison import candidate
from foretext.report.comparison_costs import FIT, GROUPS, Costed, cost_chart, frontier


def costed(name: str, value: float, cost: float, rank: int = 1) -> Costed:
    return Costed(rank, name, "pretrained", value, cost, f"{cost} s")


def rows_of(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def test_groups_are_those_of_candidates() -> None:
    assert GROUPS == candidate.GROUPS


def test_the_frontier_has_no_candidate_that_another_is_as_good_and_as_cheap_as() -> None:
    every = [
        costed("best", 0.9, 100.0),
        costed("dear", 0.9, 200.0),
        costed("worse", 0.7, 50.0),
        costed("cheap", 0.8, 1.0),
        costed("as cheap", 0.75, 1.0),
    ]
    assert frontier(every) == {"best", "cheap"}


def test_a_cost_chart_holds_all_points_on_a_logarithmic_axis() -> None:
    every = [costed("best", 0.9, 100.0), costed("cheap", 0.8, 1.0, 2), costed("bad", 0.1, 9.0, 3)]
    chart = cost_chart(every, FIT, "accuracy")
    rows = rows_of(chart)
    assert {row["name"]: row["best"] for row in rows} == {"best": True, "cheap": True, "bad": False}
    assert {row["label"] for row in rows} == {"best", "cheap", "3"}
    across = chart["layer"][0]["encoding"]["x"]
    assert across["scale"]["type"] == "log"
    low, high = across["scale"]["domain"]
    assert 0 < low < 1.0
    assert high > 100.0
    assert all(low <= mark <= high for mark in across["axis"]["values"])
    json.dumps(chart, allow_nan=False)


def test_one_candidate_has_a_chart() -> None:
    chart = cost_chart([costed("only", 0.5, 3.0)], FIT, "accuracy")
    low, high = chart["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < 0.5 < high


def test_points_that_are_alike_have_labels_that_differ() -> None:
    chart = cost_chart([costed("a", 45.3, 3.0), costed("b", 45.3, 4.0)], FIT, "chrF")
    low, high = chart["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert high - low > 0.5
