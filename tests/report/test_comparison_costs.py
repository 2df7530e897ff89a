from __future__ import annotations

import math
import re

import pytest

from foretext.comparison import candidate
from foretext.report.axes import NEVER, WIDTHS
from foretext.report.comparison_costs import (
    DISK,
    FIT,
    GROUPS,
    Costed,
    Label,
    cost_chart,
    frontier,
    label_widths,
)
from tests.report.parsed_page import chart_of

HEIGHT = 300


def costed(name: str, value: float, cost: float, rank: int = 1) -> Costed:
    return Costed(rank, name, "pretrained", value, cost, f"{cost} s")


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
    svg = cost_chart(every, FIT, "accuracy")
    chart = chart_of(svg)
    assert [row["candidate"] for row in chart.values()] == ["best", "cheap", "bad"]
    assert {"best", "cheap", "3", "1 s", "1 min"} <= set(chart.texts)
    assert "bad" not in chart.texts
    best, cheap, bad = (float(each) for each in re.findall(r'cx="([\d.]+)%"', svg))
    assert 0 < cheap < bad < best < 100
    assert (bad - cheap) / (best - cheap) == pytest.approx(math.log(9) / math.log(100), abs=0.01)
    assert "nan" not in svg


def test_one_candidate_has_a_chart() -> None:
    chart = chart_of(cost_chart([costed("only", 0.5, 3.0)], FIT, "accuracy"))
    assert "only" in chart.texts
    assert "0.5" in chart.texts


def test_points_that_are_alike_have_labels_that_differ() -> None:
    chart = chart_of(cost_chart([costed("a", 45.3, 3.0), costed("b", 45.3, 4.0)], FIT, "chrF"))
    labels = [text for text in chart.texts if text.startswith("45.")]
    assert len(labels) == len(set(labels)) >= 3


@pytest.mark.parametrize(
    ("size", "words"), [(500, "500 B"), (2000, "2 kB"), (1.5e9, "1.5 GB"), (2e6, "2 MB")]
)
def test_sizes_have_their_unit_once(size: float, words: str) -> None:
    assert DISK.words(size) == words


def test_labels_far_from_each_other_have_room_in_every_chart() -> None:
    labels = [Label("a", 0.1, 0.9), Label("b", 0.9, 0.1)]
    assert label_widths(labels, HEIGHT) == [WIDTHS[0], WIDTHS[0]]


def test_the_first_of_two_that_collide_stays() -> None:
    labels = [Label("one long name", 0.1, 0.5), Label("another long name", 0.1, 0.5 - 10 / HEIGHT)]
    assert label_widths(labels, HEIGHT) == [WIDTHS[0], NEVER]


def test_a_wide_chart_has_room_for_more() -> None:
    labels = [Label("modern-bert", 0.5, 0.5), Label("word2vec + textcnn", 0.8, 0.5)]
    first, second = label_widths(labels, HEIGHT)
    assert first == WIDTHS[0]
    assert WIDTHS[0] < second < NEVER


def test_a_label_does_not_hide_a_point_and_does_not_leave_the_chart() -> None:
    hiding = [Label("a name", 0.1, 0.5), Label("", 0.13, 0.5 + 9 / HEIGHT)]
    assert label_widths(hiding, HEIGHT)[0] > WIDTHS[0]
    assert label_widths([Label("a name" * 50, 0.5, 0.5)], HEIGHT) == [NEVER]


def test_labels_on_the_right_end_at_their_points() -> None:
    assert Label("a", 0.9, 0.5).is_right
    assert not Label("a", 0.1, 0.5).is_right
