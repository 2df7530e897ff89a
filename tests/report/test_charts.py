from __future__ import annotations

import json
import re
from typing import Any

import pytest

from foretext.report.charts import MOST_POINTS, curve_chart, legend_above, map_chart
from foretext.report.task_charts import confusion_chart
from tests.lazy_import import lazy_import

altair, vl_convert = lazy_import("altair"), lazy_import("vl_convert")

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


def vega_of(chart: dict[str, Any]) -> str:
    version = ".".join(altair.VEGALITE_VERSION.split(".")[:2])
    return json.dumps(vl_convert.vegalite_to_vega(chart, vl_version=version))


@pytest.mark.parametrize("series", [SERIES, {"loss": "training"}])
def test_a_tooltip_reads_every_field_from_the_nearest_point(series: dict[str, str]) -> None:
    records = [record(1, loss=2.0, valid_loss=3.0), record(2, loss=1.5, valid_loss=2.5)]
    chart = curve_chart(records, series, "loss (nats)")
    assert chart is not None
    tooltips = re.findall(r'"tooltip": {"signal": "(.*?[^\\])"}', vega_of(chart))
    assert len(tooltips) == 2  # of the points, and of the cells around them
    for tooltip in tooltips:
        expression = tooltip.replace('\\"', '"')
        read = set(re.findall(r'\(datum\.datum \|\| datum\)\["(\w+)"\]', expression))
        assert read == {"value", "epoch", "words"} | ({"series"} if len(series) > 1 else set())
        assert read <= rows_of(chart)[0].keys()
        assert "datum" not in re.sub(r"\(datum\.datum \|\| datum\)", "", expression)
        assert re.findall(r'"([^"]+)": format', expression) == ["loss (nats)", "epoch", "words"]


def test_a_share_is_shown_in_percent() -> None:
    chart = curve_chart([record(1, loss=0.5)], SERIES, "accuracy", number_format=".0%")
    assert '\\".1%\\"' in json.dumps(chart)


def test_a_legend_fits_a_telephone() -> None:
    assert legend_above(["training", "held out"]).columns == 2
    assert legend_above(["this model", "TF-IDF and logistic regression"]).columns == 1
    assert legend_above(["a" * 90]).columns == 1


def test_line_separators_of_unicode_do_not_reach_expressions() -> None:
    chart = confusion_chart(["one\u2028line", "two\u2029lines"], [[1, 0], [0, 1]])
    said = json.dumps(chart)
    assert "one line" in said
    assert "\\u2028" not in said
    assert "\\u2029" not in said
