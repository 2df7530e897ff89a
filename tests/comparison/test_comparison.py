"""What a comparison found, in Python."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from foretext.base.counted import number_of
from foretext.base.errors import ModelFileError, OutputError
from foretext.comparison.comparison import (
    COLUMNS,
    Comparison,
    html_table,
    metric_error,
    results_csv,
    table_rows,
    text_table,
)
from foretext.data.rows import LabelledText
from foretext.messages import in_language, message
from foretext.tasks.classification.linear import LinearClassifier
from tests.comparison.compared import answered, compared, failed, outcome, rights
from tests.report.comparison_content import label_curve


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "gpt": [failed()]}, {"linear": [answered(rights(30))]},
        plan={"warnings": ["12 rows of the test are in the training too."]},
    )  # fmt: skip
    return Comparison(tmp_path, content)


def test_it_is_the_same_after_saving_and_loading(found: Comparison) -> None:
    found.save()
    again = Comparison.load(found.folder)
    assert again.table == found.table
    assert again.recommendation == found.recommendation
    assert json.loads(json.dumps(again.content)) == found.content
    lines = (found.folder / "results.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["method", "linear"]


def test_the_terminal_gets_warnings_table_and_recommendation(found: Comparison) -> None:
    first, *_, last = str(found).splitlines()
    assert first == "Warning: 12 rows of the test are in the training too."
    assert last == found.recommendation
    assert repr(found).endswith("candidates=2, best='linear')")
    assert "<table>" in found._repr_html_()


def test_the_best_model_answers(found: Comparison) -> None:
    rows = [LabelledText("a ship", ("sea",), "r:1"), LabelledText("a field", ("land",), "r:2")]
    LinearClassifier().fit([row.text for row in rows], ["sea", "land"]).save(found.folder / "best")
    assert found.best.answer_rows(rows).best() == ["sea", "land"]


def test_where_all_failed_there_is_no_best_model(tmp_path: Path) -> None:
    nothing = Comparison(tmp_path, compared(tmp_path, {"gpt": [failed()]}, {}))
    assert nothing.recommendation is None
    assert str(nothing).endswith("No candidate finished that can be kept as a model.")
    assert "best=None" in repr(nothing)
    with pytest.raises(ModelFileError, match="no candidate finished"):
        _ = nothing.best


def test_a_folder_without_a_comparison_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"compare\.json"):
        Comparison.load(tmp_path)


@pytest.mark.parametrize("name", ["compare.json", "results.csv"])
def test_a_file_that_cannot_be_written_is_one_sentence(found: Comparison, name: str) -> None:
    (found.folder / name).mkdir()
    with pytest.raises(OutputError, match=name.replace(".", r"\.")):
        found.save()


def test_what_was_read_is_shown_as_it_was_written(found: Comparison) -> None:
    """A damaged or foreign file is refused by its types; others are data, never code."""
    content: dict[str, Any] = json.loads(json.dumps(found.content))
    content["best"] = "../../elsewhere"
    (found.folder / "compare.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(OutputError, match="best"):
        Comparison.load(found.folder)


@pytest.fixture
def content(tmp_path: Path) -> dict[str, Any]:
    return compared(
        tmp_path,
        {"linear": [outcome(0.8, used=0.5)], "bert": [outcome(0.9)], "gpt": [failed()],
         "ernie": [outcome(0.3)]},
        {"linear": [answered(rights(36), 0.1)], "bert": [answered(rights(35), 8.0)]},
    )  # fmt: skip


def test_a_row_has_what_a_table_of_data_needs(content: dict[str, Any]) -> None:
    first, *others = table_rows(content)
    assert first["name"] == "linear"
    assert first["score"] == 0.9
    assert first["tie"] is True
    assert (first["seconds"], first["megabytes"], first["memory_megabytes"]) == (0.5, 2.0, 100.0)
    assert all(list(row) == list(first) for row in others)
    assert [row["status"] for row in others] == ["finished", "dropped", "failed"]
    assert others[-1]["score"] is None


def test_the_terminal_gets_columns(content: dict[str, Any]) -> None:
    head, linear, bert, ernie, gpt = text_table(content).splitlines()
    assert head.split("  ")[0] == "candidate"
    assert "accuracy, test" in head
    assert linear.split()[:2] == ["linear", "0.900"]
    assert not linear.endswith("best")
    assert bert.split()[1] == "0.875"
    assert bert.endswith("tied with the best")
    assert head.index("to fit") + len("to fit") == linear.index("0.5 s") + len("0.5 s")
    assert ernie.startswith("ernie dropped with 0.300 held out: It was not among the better half")
    assert gpt == "gpt failed: It ran out of memory."


def test_what_never_took_part_is_named_in_one_line(content: dict[str, Any]) -> None:
    *_, gpt = content["candidates"]
    left_out = [
        {**gpt, "name": name, "status": "left out", "sentence": "a fair look takes 60 s"}
        for name in ("t5", "elmo")
    ]
    lines = text_table({**content, "candidates": [*content["candidates"], *left_out]}).splitlines()
    assert lines[-1] == "left out, for reasons that the page gives: t5, elmo"
    assert len(lines) == len(text_table(content).splitlines()) + 1


def test_a_candidate_that_is_worse_than_the_best_is_not_called_tied(tmp_path: Path) -> None:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "bert": [outcome(0.9)]},
        {"linear": [answered(rights(10))], "bert": [answered(rights(35))]},
    )  # fmt: skip
    assert "tied" not in text_table(content)


def test_a_notebook_gets_cells_without_markup_of_strangers(content: dict[str, Any]) -> None:
    content["candidates"][-1]["sentence"] = "<script>x</script>"
    content["warnings"] = ["Two rows are & in both."]
    found = html_table(content, "Use <b>.")
    above = "<p>Warning: Two rows are &amp; in both.</p><p>Use &lt;b&gt;.</p><table>"
    assert found.startswith(above)
    assert found.count("<tr>") == 5
    assert "<script>" not in found


def test_each_seed_of_each_candidate_that_was_measured_is_a_line(tmp_path: Path) -> None:
    content = compared(
        tmp_path,
        {"bert": [outcome(0.8, 0.9)], "linear": [outcome(0.7, used=2.5)], "gpt": [failed()]},
        {"bert": [answered(rights(30)), answered(rights(34))],
         "linear": [answered(rights(20), 4.0)]},
        plan={"request": {"task": "classification", "train": "data/topics.csv.gz", "budget": 60.0,
                          "seeds": 2, "rounds": 1, "seed": 5}},
    )  # fmt: skip
    head, *lines = csv.reader(results_csv(content).splitlines())
    assert tuple(head) == COLUMNS
    assert lines == [  # of bert, 5.5 of 9.5 s were for both seeds, and 2 for each
        ["bert", "classification/data/topics", "5", "0.25", "7.5", "0.04"],
        ["bert", "classification/data/topics", "6", "0.15", "7.5", "0.04"],
        ["linear", "classification/data/topics", "5", "0.5", "2.5", "0.16"],
    ]


@pytest.mark.parametrize(
    ("judged_by", "score", "error"),
    [("accuracy", 0.9, 0.1), ("bleu", 30.0, 0.7), ("spearman", -0.5, 1.5), ("f1", 1.0, 0.0)],
)
def test_lower_errors_are_better(judged_by: str, score: float, error: float) -> None:
    assert metric_error(judged_by, score) == pytest.approx(error)


def test_a_name_with_a_comma_stays_one_cell(tmp_path: Path) -> None:
    content = compared(tmp_path, {"bert": [outcome(0.8)]}, {"bert": [answered(rights(30))]})
    content["candidates"][0]["name"] = 'bert, not "pretrained"'
    line = list(csv.reader(results_csv(content).splitlines()))[1]
    assert line[0] == 'bert, not "pretrained"'


def test_what_is_stored_in_english_is_told_in_chinese(tmp_path: Path) -> None:
    with in_language("en"):
        warning = message("findings.status.no_corpus", rows=number_of("row", 100))
        dropped = message("findings.status.dropped", round=1)
        curve = label_curve("gpt", "linear")
        curve["sentence"] = message(
            "findings.labels.crossing", labels=650, few="gpt", many="linear", low=100, high=1200
        )
        curve["cells"][-1]["sentence"] = message("findings.status.needs_torch")
        content = compared(
            tmp_path,
            {"linear": [outcome(0.8)], "gpt": [failed(message("findings.status.needs_torch"))],
             "bert": [outcome(0.5)]},
            {"linear": [answered(rights(30))]},
            plan={"warnings": [warning]},
        )  # fmt: skip
        left_out = {"status": "left out", "sentence": message("findings.status.needs_labels")}
    content["candidates"].append({**content["candidates"][-1], "name": "t5", **left_out})
    found = Comparison(tmp_path, {**content, "label_curve": curve})
    stored = [warning, dropped, curve["sentence"], found.recommendation, "needs PyTorch"]
    with in_language("en"):
        shown = str(found)
        assert all(each in shown for each in stored if each is not None)
    with in_language("zh"):
        for shown in (str(found), found._repr_html_()):
            assert not [each for each in stored if each is not None and each in shown]
            assert "警告：没有给出语料：" in shown
            assert "标签少于约 650 个时用 gpt，更多时用 linear" in shown
            assert "淘汰" in shown
            assert "失败：网络需要 PyTorch" in shown
            assert "用 linear：" in shown
        assert "第 3 次抽样：网络需要 PyTorch" in str(found)
        assert not re.search(r"\b(failed|dropped|the|with|held out)\b", str(found))
