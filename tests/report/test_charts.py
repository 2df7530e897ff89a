from __future__ import annotations

import json
from typing import Any

from foretext.report.charts import MOST_POINTS, curve_chart, map_chart

SERIES = {"loss": "training", "valid_loss": "held out"}


def rows_of(chart: dict[str, Any]) -> list[dict[str, Any]]:
    [rows] = chart["datasets"].values()
    return list(rows)


def record(epoch: float, **figures: float | None) -> dict[str, Any]:
    return {"epoch": epoch, "words": int(100 * epoch), **figures}


def test_a_row_a_figure() -> None:
    chart = curve_chart([record(1, loss=2.0, valid_loss=None), record(2, loss=1.5)], SERIES, "loss")
    assert chart is not None
    assert rows_of(chart) == [
        {"epoch": 1, "words": 100, "series": "training", "value": 2.0},
        {"epoch": 2, "words": 200, "series": "training", "value": 1.5},
    ]


def test_no_figures_no_chart() -> None:
    assert curve_chart([], SERIES, "loss") is None
    assert curve_chart([record(1, loss=None), record(2, loss=float("inf"))], SERIES, "loss") is None


def test_a_long_run_is_thinned_and_keeps_its_end() -> None:
    records = [record(step, loss=1.0) for step in range(10_001)]
    chart = curve_chart(records, SERIES, "loss")
    assert chart is not None
    rows = rows_of(chart)
    assert len(rows) <= MOST_POINTS
    assert rows[-1]["epoch"] == 10_000


def test_no_address_is_in_a_chart() -> None:
    point = {"word": "a", "x": 0, "y": 1, "count": 3, "group": 0, "nearest": "b", "level": 1}
    curves = curve_chart([record(1, loss=2.0)], SERIES, "loss")
    assert "://" not in json.dumps([map_chart([point]), curves])
