from __future__ import annotations

import json
from typing import Any

import pytest

from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.report.comparison_files import ComparisonFacts
from foretext.report.comparison_table import (
    LeaderRow,
    cost_rows,
    interval_scale,
    leader_rows,
    left_out,
)
from tests.report.comparison_content import candidate, content, unfinished


def facts(**changes: Any) -> ComparisonFacts:
    found: ComparisonFacts = parse_json(
        json.dumps(content(**changes)), "here", OutputError, ComparisonFacts
    )
    return found


def rows(**changes: Any) -> dict[str, LeaderRow]:
    return {row.name: row for row in leader_rows(facts(**changes))}


def test_ties_and_the_recommendation_are_marked() -> None:
    assert {
        name: (row.rank, [mark.words for mark in row.marks]) for name, row in rows().items()
    } == {
        "modern-bert": (1, []),
        "linear": (2, ["recommended", "tie"]),
        "word2vec + textcnn": (3, []),
        "lstm-lm": (None, ["dropped in round 1"]),
        "electra": (None, ["failed"]),
    }


def test_a_row_has_figure_interval_and_difference() -> None:
    linear = rows()["linear"]
    assert (linear.figure, linear.interval) == ("0.895", "0.875 to 0.915")
    assert (linear.difference, linear.difference_interval) == ("−0.005", "−0.020 to +0.010")
    assert (linear.valid, linear.fit, linear.use) == ("0.895 ± 0.010", "3.0 s", "0.02")
    assert rows()["modern-bert"].difference == "–"


def test_bars_stand_where_their_figures_are_on_one_scale() -> None:
    found = [row.bar for row in rows().values() if row.bar]
    assert len(found) == 3
    assert found[0].middle > found[1].middle > found[2].middle
    for bar in found:
        assert 0 <= bar.left < bar.middle < bar.left + bar.width <= 100
    best, _, third = found
    low, high = interval_scale(facts()) or (0.0, 0.0)
    assert (best.middle - third.middle) / 100 == pytest.approx((0.9 - 0.85) / (high - low))


def test_those_without_figures_come_last_with_their_sentence() -> None:
    failed = unfinished("electra", "failed", "It ran out of memory.")
    found = leader_rows(facts(candidates=[failed, candidate("bert")]))
    assert [row.name for row in found] == ["bert", "electra"]
    assert [row.sentence for row in found] == [None, "It ran out of memory."]


def test_figures_without_intervals_have_rows() -> None:
    test = {"value": 0.7, "low": None, "high": None, "each": [0.7], "figures": {}}
    other = {"value": -0.2, "low": None, "high": None, "p_value": None, "is_tie": False}
    some = [candidate("a", 0.9), candidate("b", test=test, against_best=other)]
    row = rows(candidates=some)["b"]
    assert (row.figure, row.interval, row.difference) == ("0.700", "", "−0.200")
    assert row.bar is not None
    assert row.bar.width == 0


def test_a_figure_that_is_no_number_is_none() -> None:
    nan = float("nan")
    test = {"value": nan, "low": nan, "high": nan, "each": [nan], "figures": {}}
    row = rows(candidates=[candidate("a", test=test)])["a"]
    assert (row.rank, row.bar, row.sentence) == (None, None, "It has no figures.")


def test_points_have_one_decimal() -> None:
    test = {"value": 31.25, "low": 29.0, "high": 33.0, "each": [31.25], "figures": {}}
    found = rows(judged_by="bleu", candidates=[candidate("bart", test=test)])["bart"]
    assert (found.figure, found.interval) == ("31.2", "29.0 to 33.0")


def test_a_group_that_nobody_knows_has_a_color() -> None:
    assert rows(candidates=[candidate("a", group="other")])["a"].color == 5


def test_the_scale_ends_where_the_figure_does() -> None:
    high = {"value": 0.99, "low": 0.98, "high": 1.0, "each": [0.99], "figures": {}}
    low = {"value": 0.01, "low": 0.0, "high": 0.02, "each": [0.01], "figures": {}}
    assert interval_scale(
        facts(candidates=[candidate("a", test=high), candidate("b", test=low)])
    ) == (
        0.0,
        1.0,
    )
    below = {**low, "low": -0.1}  # of a correlation
    ends = interval_scale(facts(candidates=[candidate("a", test=high), candidate("b", test=below)]))
    assert ends is not None
    assert ends[0] < -0.1


def test_those_left_out_are_together_by_reason() -> None:
    short, no_text = "the budget is too short", "there is no text"
    some = [unfinished(name, "left out", why) for name, why in
            (("t5", short), ("glove", no_text), ("bart", short))]  # fmt: skip
    found = facts(candidates=[candidate("bert"), *some])
    assert left_out(found.candidates) == [(short, ["t5", "bart"]), (no_text, ["glove"])]
    assert [row.name for row in leader_rows(found)] == ["bert"]


def test_costs_are_those_of_candidates_with_figures() -> None:
    found = cost_rows(facts().candidates)
    assert [row["candidate"] for row in found] == ["modern-bert", "linear", "word2vec + textcnn"]
    assert found[0] == {
        "candidate": "modern-bert", "time to fit": "59 s", "ms a row": "1.2", "in batches": "0.4",
        "on disk": "12.0 MB", "memory to fit": "400 MB", "parameters": "3.0 M",
    }  # fmt: skip


def test_a_baseline_that_no_folder_keeps_has_no_size() -> None:
    some = [candidate("ibm model 1", disk_bytes=0, parameters=0, memory_bytes=None)]
    [row] = cost_rows(facts(candidates=some).candidates)
    assert (row["on disk"], row["parameters"], row["memory to fit"]) == ("–", "–", "–")
