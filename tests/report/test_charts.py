"""Curves of a training, and the map of words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from foretext.report.axes import in_percent
from foretext.report.charts import MOST_POINTS, MOST_STOPS, curve_chart, map_chart
from tests.report.parsed_page import chart_of

SERIES = {"loss": "training", "valid_loss": "held out"}
POINT = {"word": "a", "x": 0, "y": 1, "count": 3, "group": 0, "nearest": "b", "level": 1}


def record(epoch: float, **figures: float | None) -> dict[str, Any]:
    return {"epoch": epoch, "words": int(100 * epoch), **figures}


def path_of(svg: str | None) -> list[tuple[float, float]]:
    """Return the coordinates of the first line of a chart."""
    found = re.search(r' d="M([^"]+)"', svg or "")
    assert found
    return [(float(x), float(y)) for x, y in (each.split() for each in found[1].split("L"))]


def test_each_record_says_its_figures() -> None:
    svg = curve_chart([record(1, loss=2.0, valid_loss=None), record(2, loss=1.5)], SERIES, "loss")
    assert chart_of(svg).values() == [
        {"loss": "2", "epoch": "1.00", "words": "100"},
        {"loss": "1.5", "epoch": "2.00", "words": "200"},
    ]


def test_several_lines_have_a_legend_and_stand_in_their_places() -> None:
    records = [record(1, loss=2.0, valid_loss=4.0), record(2, loss=1.0, valid_loss=3.0)]
    svg = curve_chart(records, SERIES, "loss", height=300)
    chart = chart_of(svg)
    assert {"training", "held out", "loss", "epoch"} <= set(chart.around)
    assert path_of(svg) == [(0, 200), (1000, 300)]  # from 1 to 4, and down is more
    assert chart.values()[0] == {"training": "2", "held out": "4", "epoch": "1.00", "words": "100"}


def test_no_figures_no_chart() -> None:
    assert curve_chart([], SERIES, "loss") is None
    assert curve_chart([record(1, loss=None), record(2, loss=float("inf"))], SERIES, "loss") is None


@pytest.mark.parametrize("value", [0.0, 1.0, -3.5, 1e-310, 1e308, -1e308, 5e-324])
def test_any_figure_is_drawn(value: float) -> None:
    for records in ([record(1, loss=value)], [record(1, loss=value), record(2, loss=2.0)]):
        svg = curve_chart(records, {"loss": "training"}, "loss")
        assert "nan" not in str(svg)
        assert "inf" not in str(svg)
        assert chart_of(svg).number("lines") == 1


def test_a_long_run_is_thinned_and_keeps_its_end() -> None:
    svg = curve_chart([record(step, loss=1.0) for step in range(10_001)], SERIES, "loss")
    path = path_of(svg)
    assert 100 < len(path) <= MOST_POINTS
    assert path[-1][0] == 1000
    rows = chart_of(svg).values()
    assert 10 < len(rows) <= MOST_STOPS
    assert rows[-1]["epoch"] == "10000.00"


def test_a_share_is_shown_in_percent() -> None:
    chart = chart_of(curve_chart([record(1, loss=0.5)], SERIES, "accuracy", words=in_percent))
    assert chart.values()[0]["accuracy"] == "50.0%"
    assert "50%" in chart.texts


def test_a_run_that_is_measured_from_its_start_has_an_axis_from_zero() -> None:
    early = chart_of(curve_chart([record(n / 10, loss=1.0) for n in range(1, 31)], SERIES, "loss"))
    assert "0" in early.texts
    late = chart_of(curve_chart([record(n, loss=1.0) for n in range(2, 5)], SERIES, "loss"))
    assert "0" not in late.texts


def test_words_of_the_map_stand_at_their_points_and_stay_text() -> None:
    points = [POINT, {**POINT, "word": "<b>", "x": 1, "y": 0, "level": 3, "group": 9}]
    svg = map_chart(points)
    chart = chart_of(svg)
    assert chart.texts == ["a", "<b>"]
    assert (chart.number("word"), chart.number("name"), chart.number("far")) == (2, 2, 1)
    assert svg.count('x="3.70%" y="3.70%"') == svg.count('x="96.30%" y="96.30%"') == 2
    assert chart.number("c2") == 1  # the tenth group has the second colour again
    assert list(chart.values()[1].values()) == ["<b>", "3", "b"]


def test_an_empty_map_is_drawn() -> None:
    assert chart_of(map_chart([])).texts == []
