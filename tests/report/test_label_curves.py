"""The chart and the table of scores by number of labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.report.comparison_files import LabelCurve
from foretext.report.comparison_report import write_comparison_report
from foretext.report.label_curves import label_chart, label_failures, label_table
from tests.report.comparison_content import content, label_curve, label_point
from tests.report.parsed_page import Page


def curve(**changes: Any) -> LabelCurve:
    return LabelCurve.model_validate({**label_curve(), **changes})


def values(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def test_each_candidate_has_a_line_with_its_interval_on_a_logarithmic_axis() -> None:
    chart = label_chart(curve(), "accuracy")
    assert chart is not None
    rows = values(chart)
    named = {row["name"]: row for row in rows if row.get("labels") == 100}
    assert named["linear"]["value"] == 0.65
    assert named["linear"]["interval"] == "0.620 to 0.680"
    assert named["linear"]["x"] == pytest.approx(100 * 1.02**0.5)
    assert named["doc2vec + linear"]["x"] == pytest.approx(100 / 1.02**0.5)
    text = json.dumps(chart)
    assert '"type": "log"' in text
    assert "about 650" in text
    assert {"at": 640.0} in rows


def test_without_a_crossing_there_is_no_line_for_it() -> None:
    chart = label_chart(curve(crossing=None), "accuracy")
    assert chart is not None
    assert not [row for row in values(chart) if "at" in row]
    assert "about" not in json.dumps(chart)


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
    assert "spec-labels" in Page(page).specifications
    assert "20 rows show one label alone." in page
    write_comparison_report(content(), tmp_path / "b.html")
    assert "By number of labels" not in (tmp_path / "b.html").read_text(encoding="utf-8")
