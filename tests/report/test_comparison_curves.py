from __future__ import annotations

import json
from typing import Any

from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.report.comparison_curves import MOST_POINTS, learning_chart, loss_chart
from foretext.report.comparison_files import ComparedCandidate, ComparisonFacts
from tests.report.comparison_content import candidate as compared
from tests.report.comparison_content import content


def candidates(*given: dict[str, Any]) -> list[ComparedCandidate]:
    text = json.dumps(content(candidates=list(given)))
    facts: ComparisonFacts = parse_json(text, "here", OutputError, ComparisonFacts)
    return facts.candidates


def rows_of(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def test_a_forecast_goes_on_from_the_last_point_of_the_curve() -> None:
    ahead = {"value": 0.95, "gain": 0.02, "seconds": 120.0, "from": "its learning curve"}
    chart = learning_chart(candidates(compared("bert", forecast=ahead)), "accuracy")
    assert chart is not None
    rows = rows_of(chart)
    assert [row["kind"] for row in rows] == [*["measured"] * 4, "forecast"]
    assert [row["goes_on"] for row in rows] == [False, False, False, True, True]
    assert (rows[-1]["seconds"], rows[-1]["value"]) == (120.0, 0.95)


def test_only_the_last_round_is_drawn() -> None:
    rounds = compared("bert")["rounds"]
    later = {**rounds[0], "round": 2, "curve": [[5.0, 0.7], [90.0, 0.93]]}
    chart = learning_chart(candidates(compared("bert", rounds=[*rounds, later])), "accuracy")
    assert chart is not None
    assert [row["value"] for row in rows_of(chart)] == [0.7, 0.93]


def test_no_curve_no_chart() -> None:
    assert learning_chart(candidates(), "accuracy") is None
    rounds = [{**compared("bert")["rounds"][0], "curve": [[1.0, float("nan")]]}]
    assert learning_chart(candidates(compared("bert", rounds=rounds)), "accuracy") is None


def test_scores_at_one_time_alone_are_no_curve() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[2.0, 0.6]]}]
    linear = compared("linear", rounds=rounds)
    assert learning_chart(candidates(linear), "accuracy") is None
    both = learning_chart(candidates(linear, compared("bert")), "accuracy")
    assert both is not None
    assert {row["name"] for row in rows_of(both)} == {"linear", "bert"}


def test_a_score_at_no_time_stands_at_the_beginning_of_the_axis() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[0.0, 0.5], [2.0, 0.6]]}]
    chart = learning_chart(candidates(compared("linear", rounds=rounds)), "accuracy")
    assert chart is not None
    assert min(row["seconds"] for row in rows_of(chart)) > 0


def test_a_long_loss_is_thinned_and_keeps_its_end() -> None:
    rows = rows_of(loss_chart("bert", [(float(step), 1.0) for step in range(5_001)]))
    assert len(rows) <= MOST_POINTS
    assert rows[-1]["seconds"] == 5_000.0
