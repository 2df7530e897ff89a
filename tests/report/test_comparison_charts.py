from __future__ import annotations

import json
from typing import Any

from foretext.comparison import candidate
from foretext.errors import OutputError
from foretext.parsing import parse_json
from foretext.report.comparison_charts import FIT, GROUPS, Costed, cost_chart, frontier
from foretext.report.comparison_curves import MOST_POINTS, loss_chart, score_chart
from foretext.report.comparison_files import ComparedCandidate, ComparisonFacts
from tests.report.comparison_content import candidate as compared
from tests.report.comparison_content import content


def costed(name: str, value: float, cost: float, rank: int = 1) -> Costed:
    return Costed(rank, name, "pretrained", value, cost, f"{cost} s")


def candidates(*given: dict[str, Any]) -> list[ComparedCandidate]:
    text = json.dumps(content(candidates=list(given)))
    facts: ComparisonFacts = parse_json(text, "here", OutputError, ComparisonFacts)
    return facts.candidates


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


def test_a_forecast_goes_on_from_the_last_point_of_the_curve() -> None:
    ahead = {"value": 0.95, "gain": 0.02, "seconds": 120.0, "from": "its learning curve"}
    chart = score_chart(candidates(compared("bert", forecast=ahead)), "accuracy")
    assert chart is not None
    rows = rows_of(chart)
    assert [row["kind"] for row in rows] == [*["measured"] * 4, "forecast"]
    assert [row["goes_on"] for row in rows] == [False, False, False, True, True]
    assert (rows[-1]["seconds"], rows[-1]["value"]) == (120.0, 0.95)


def test_only_the_last_round_is_drawn() -> None:
    rounds = compared("bert")["rounds"]
    later = {**rounds[0], "round": 2, "curve": [[5.0, 0.7], [90.0, 0.93]]}
    chart = score_chart(candidates(compared("bert", rounds=[*rounds, later])), "accuracy")
    assert chart is not None
    assert [row["value"] for row in rows_of(chart)] == [0.7, 0.93]


def test_no_curve_no_chart() -> None:
    assert score_chart(candidates(), "accuracy") is None
    rounds = [{**compared("bert")["rounds"][0], "curve": [[1.0, float("nan")]]}]
    assert score_chart(candidates(compared("bert", rounds=rounds)), "accuracy") is None


def test_scores_at_one_time_alone_are_no_curve() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[2.0, 0.6]]}]
    linear = compared("linear", rounds=rounds)
    assert score_chart(candidates(linear), "accuracy") is None
    both = score_chart(candidates(linear, compared("bert")), "accuracy")
    assert both is not None
    assert {row["name"] for row in rows_of(both)} == {"linear", "bert"}


def test_a_score_at_no_time_stands_at_the_beginning_of_the_axis() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[0.0, 0.5], [2.0, 0.6]]}]
    chart = score_chart(candidates(compared("linear", rounds=rounds)), "accuracy")
    assert chart is not None
    assert min(row["seconds"] for row in rows_of(chart)) > 0


def test_a_long_loss_is_thinned_and_keeps_its_end() -> None:
    rows = rows_of(loss_chart("bert", [(float(step), 1.0) for step in range(5_001)]))
    assert len(rows) <= MOST_POINTS
    assert rows[-1]["seconds"] == 5_000.0
