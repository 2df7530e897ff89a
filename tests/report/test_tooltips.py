"""What holds for the tooltip of every chart: its fields are in the data, and each has a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from foretext.report.charts import map_chart
from foretext.report.comparison_costs import FIT, Costed, cost_chart
from foretext.report.comparison_curves import learning_chart, loss_chart
from foretext.report.comparison_files import ComparedCandidate
from foretext.report.corpus_report import growth_chart, lengths_chart
from foretext.report.task_charts import (
    alignment_chart,
    beside_chart,
    confusion_chart,
    length_chart,
    quality_chart,
    reliability_chart,
    score_chart,
)

QUANTILES = dict(
    zip(("least", "p05", "p25", "median", "p75", "p95", "most"), range(7), strict=True)
)
POINT = {"word": "a", "x": 0, "y": 1, "count": 3, "group": 0, "nearest": "b", "level": 1}
BIN = {"low": 0.0, "high": 0.1, "size": 4, "confidence": 0.08, "accuracy": 0.1}
ROUND = {"round": 1, "given": 9.0, "used": 9.0, "curve": [(1.0, 0.5), (9.0, 0.7)]}
QUALITY = {"low": 1, "high": 3, "rows": 5, "model": "a", "chrf": 50.0}
BERT = ComparedCandidate.model_validate({"name": "bert", "status": "finished", "rounds": [ROUND]})
CHARTS = {
    "map": lambda: map_chart([POINT]),
    "growth": lambda: growth_chart([{"tokens": 10, "distinct_words": 5}]),
    "lengths": lambda: lengths_chart({"document": QUANTILES}),
    "beside": lambda: beside_chart([{"figure": "accuracy", "model": "a", "value": 0.5}], ["a"]),
    "confusion": lambda: confusion_chart(labels=["a", "b"], counts=[[3, 1], [0, 2]]),
    "reliability": lambda: reliability_chart([BIN]),
    "scores": lambda: score_chart([(1.0, 2.0)]),
    "alignment": lambda: alignment_chart({"source": ["a"], "output": ["b"], "weights": [[0.5]]}),
    "cost": lambda: cost_chart([Costed(1, "bert", "pretrained", 0.5, 2.0, "2 s")], FIT, "accuracy"),
    "scores by time": lambda: learning_chart([BERT], "accuracy"),
    "loss": lambda: loss_chart("bert", [(1.0, 5.0), (2.0, 4.0)]),
    "quality": lambda: quality_chart(
        [{"low": 1, "high": 3, "rows": 5, "model": "a", "chrf": 50.0}]
    ),
    "text lengths": lambda: length_chart([(3, 4)]),
}


def tooltips(chart: Any) -> Iterator[dict[str, Any]]:
    """Every field of every tooltip of a specification."""
    if isinstance(chart, dict):
        fields = chart.get("encoding", {}).get("tooltip", [])
        yield from fields if isinstance(fields, list) else [fields]
        for part in chart.values():
            yield from tooltips(part)
    elif isinstance(chart, list):
        for part in chart:
            yield from tooltips(part)


@pytest.mark.parametrize("name", CHARTS)
def test_a_tooltip_shows_fields_of_the_data(name: str) -> None:
    chart = CHARTS[name]()
    known = [set(row) for rows in chart["datasets"].values() for row in rows]
    fields = [each["field"] for each in tooltips(chart)]
    assert fields
    assert any(set(fields) <= row for row in known), fields
    for each in tooltips(chart):
        assert "_" not in each.get("title", each["field"])
