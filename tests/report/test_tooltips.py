"""What holds for every chart: what it is, and what the pointer shows."""

from __future__ import annotations

import re

import pytest

from foretext.report.axes import digits, linear
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
from tests.report.parsed_page import chart_of

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


@pytest.mark.parametrize("name", CHARTS)
def test_what_the_pointer_shows_has_names_and_values(name: str) -> None:
    shown = chart_of(CHARTS[name]()).values()
    assert shown
    for values in shown:
        assert all(values.values()), values
        assert all(each and "_" not in each for each in values), values


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_says_what_it_is_and_stays_text(name: str) -> None:
    chart = chart_of(CHARTS[name]())
    assert chart.about
    assert chart.tags.count("svg") >= 1
    assert not {"script", "img", "image", "a", "foreignObject"} & set(chart.tags)


def test_the_line_of_perfect_answers_goes_through_equal_scores() -> None:
    """Right scores from 0 to 5, given ones from 3 to 4.2: what is shown of y = x is from 3 on."""
    page = score_chart([(0.0, 3.0), (5.0, 4.2)])
    ends = re.search(r'class="rule dashed" x1="([\d.]+)%" x2="([\d.]+)%" y1="([\d.]+)"', page)
    assert ends
    across, up = (linear(each, "", digits) for each in ((0, 5), (3, 4.2)))
    assert float(ends[1]) / 100 == pytest.approx(across.position(3.0), abs=0.002)
    assert float(ends[2]) / 100 == pytest.approx(across.position(up.high), abs=0.002)
    apart = score_chart([(0.0, 7.0), (5.0, 8.0)])
    assert "dashed" not in apart


def test_figures_under_the_pointer_have_no_exponents() -> None:
    (values,) = chart_of(score_chart([(1995.2, 1_234_567.0)])).values()
    assert [*values.values()] == ["1,995", "1,234,567"]


def test_long_chinese_labels_keep_the_numbers_of_their_columns() -> None:
    labels = ["一二三四五六七八九十一二三四" + end for end in "甲乙丙丁戊"]
    page = confusion_chart(labels=labels, counts=[[1] * 5] * 5)
    names = [each for each in re.findall(r">([^<>]+)</text>", page) if "一" in each]
    assert [name.rsplit(" ", 1)[1] for name in names] == list("12345")
