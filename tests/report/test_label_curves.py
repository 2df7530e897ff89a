"""The chart and the table of scores by number of labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from foretext.report.comparison_files import LabelCurve
from foretext.report.comparison_report import write_comparison_report
from foretext.report.label_curves import label_chart, label_failures, label_table
from tests.report.comparison_content import content, label_curve, label_point
from tests.report.parsed_page import Page, chart_of


def curve(**changes: Any) -> LabelCurve:
    return LabelCurve.model_validate({**label_curve(), **changes})


def test_each_candidate_has_a_line_with_its_interval_on_a_logarithmic_axis() -> None:
    svg = label_chart(curve(), "accuracy")
    chart = chart_of(svg)
    named = {row["candidate"]: row for row in chart.values() if row["labels"] == "100"}
    assert named["linear"]["accuracy"] == "0.65"
    assert named["linear"]["95 %"] == "0.620 to 0.680"
    assert set(named) == {"linear", "doc2vec + linear"}
    assert "about 650" in chart.texts
    assert chart.number("rule") == 1
    assert chart.tags.count("option") == 3  # all, and each alone
    number = len(chart.titles)
    assert chart.number("lines") == number + 2  # an interval a point, and a line a candidate
    places = [float(each) for each in re.findall(r'<circle [^>]*cx="([\d.]+)%"', svg or "")]
    assert len({round(each, 1) for each in places}) == number  # beside each other


def test_without_a_crossing_there_is_no_line_for_it() -> None:
    chart = chart_of(label_chart(curve(crossing=None), "accuracy"))
    assert chart.number("rule") == 0
    assert "about" not in " ".join(chart.texts)


def test_figures_that_are_no_numbers_are_not_drawn() -> None:
    nothing = [{"name": "a", "points": [label_point(20, float("nan"))]}]
    assert label_chart(curve(lines=nothing), "accuracy") is None


def test_the_table_marks_the_best_and_ties_and_what_was_not_measured() -> None:
    lines = [
        {"name": "a", "points": [label_point(20, 0.5, is_best=True), label_point(100, 0.6)]},
        {"name": "b", "points": [label_point(20, 0.48, is_tie=True)]},
    ]
    found = label_table(curve(lines=lines, labels=[20, 100]), "accuracy")
    assert found["head"] == ["candidate", "20", "100"]
    assert found["body"] == [
        ["a", "0.500 ± 0.030 *", "0.600 ± 0.030"],
        ["b", "0.480 ± 0.030 =", "–"],
    ]
    assert found["numeric"] == [False, True, True]


def test_without_a_curve_there_is_nothing() -> None:
    assert label_chart(None, "accuracy") is None
    assert label_table(None, "accuracy")["body"] == []
    assert label_failures(None) == []


def test_the_page_has_sentence_chart_table_and_failures(tmp_path: Path) -> None:
    write_comparison_report(content(label_curve=label_curve("词向量 + 线性")), tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "With fewer than about 650 labels use 词向量 + 线性, with more use linear." in page
    assert "labels" in Page(page).charts
    assert "20 rows show one label alone." in page
    write_comparison_report(content(), tmp_path / "b.html")
    assert "By number of labels" not in (tmp_path / "b.html").read_text(encoding="utf-8")
