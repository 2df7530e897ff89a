from __future__ import annotations

import json
from typing import Any

import pytest

from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.report.comparison_curves import (
    MOST_POINTS,
    MOST_STOPS,
    learning_chart,
    loss_chart,
    time_rows,
)
from foretext.report.comparison_files import ComparedCandidate, ComparisonFacts
from tests.report.comparison_content import candidate, content
from tests.report.comparison_content import candidate as compared
from tests.report.parsed_page import chart_of


def candidates(*given: dict[str, Any]) -> list[ComparedCandidate]:
    text = json.dumps(content(candidates=list(given)))
    facts: ComparisonFacts = parse_json(text, "here", OutputError, ComparisonFacts)
    return facts.candidates


def test_a_forecast_goes_on_from_the_last_point_of_the_curve() -> None:
    ahead = {"value": 0.95, "gain": 0.02, "seconds": 120.0, "from": "its learning curve"}
    chart = learning_chart(candidates(compared("bert", forecast=ahead)), "accuracy")
    shown = chart_of(chart)
    rows = shown.values()
    assert [row["figure"] for row in rows] == [*["measured"] * 4, "forecast"]
    assert shown.number("lines") == 2
    assert shown.number("dashed") == shown.number("hollow") == 1
    assert (rows[-1]["seconds"], rows[-1]["accuracy"]) == ("120", "0.95")


def test_only_the_last_round_is_drawn() -> None:
    rounds = compared("bert")["rounds"]
    later = {**rounds[0], "round": 2, "curve": [[5.0, 0.7], [90.0, 0.93]]}
    chart = learning_chart(candidates(compared("bert", rounds=[*rounds, later])), "accuracy")
    assert [row["accuracy"] for row in chart_of(chart).values()] == ["0.7", "0.93"]


def test_no_curve_no_chart() -> None:
    assert learning_chart(candidates(), "accuracy") is None
    rounds = [{**compared("bert")["rounds"][0], "curve": [[1.0, float("nan")]]}]
    assert learning_chart(candidates(compared("bert", rounds=rounds)), "accuracy") is None


def test_scores_at_one_time_alone_are_no_curve() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[2.0, 0.6]]}]
    linear = compared("linear", rounds=rounds)
    assert learning_chart(candidates(linear), "accuracy") is None
    both = learning_chart(candidates(linear, compared("bert")), "accuracy")
    assert {row["candidate"] for row in chart_of(both).values()} == {"linear", "bert"}


def test_a_score_at_no_time_stands_at_the_beginning_of_the_axis() -> None:
    rounds = [{**compared("linear")["rounds"][0], "curve": [[0.0, 0.5], [2.0, 0.6]]}]
    chart = learning_chart(candidates(compared("linear", rounds=rounds)), "accuracy")
    assert min(float(row["seconds"]) for row in chart_of(chart).values()) > 0


def test_a_long_loss_is_thinned_and_keeps_its_end() -> None:
    svg = loss_chart("bert", [(float(step), 1.0) for step in range(5_001)])
    path = next(each for each in svg.split('"') if each.startswith("M"))
    assert 10 < path.count("L") < MOST_POINTS
    assert path.split("L")[-1].startswith("1000 ")
    rows = chart_of(svg).values()
    assert len(rows) <= MOST_STOPS
    assert rows[-1]["seconds"] == "5,000.0"


def facts(**changes: Any) -> ComparisonFacts:
    found: ComparisonFacts = parse_json(
        json.dumps(content(**changes)), "here", OutputError, ComparisonFacts
    )
    return found


def test_bars_of_time_have_one_scale_and_no_gaps() -> None:
    found = time_rows(facts().candidates)
    assert [row.name for row in found][-1] == "lstm-lm"  # the other two had no time
    bert = found[0]
    assert [part.kind for part in bert.parts] == ["shared", "pretraining", "finetuning", "other"]
    assert sum(part.percent for part in bert.parts) == pytest.approx(100 * 58.9 / 60)
    assert bert.given_percent == 100
    assert (bert.given, bert.used, bert.pretraining) == ("1 min 00 s", "59 s", "42 s")


def test_rounds_follow_each_other() -> None:
    first = candidate("a")["rounds"][0]
    second = {**first, "round": 2, "given": 120.0, "used": 118.0, "shared": 0.0}
    [row] = time_rows(facts(candidates=[candidate("a", rounds=[first, second])]).candidates)
    assert [part.words.split(":")[0] for part in row.parts] == [
        "shared work, round 1", "pretraining, round 1", "fine-tuning, round 1", "other, round 1",
        "pretraining, round 2", "fine-tuning, round 2", "other, round 2",
    ]  # fmt: skip
    assert (row.rounds, row.given) == (2, "3 min 00 s")
