"""The columns of ``bencheval``."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from foretext.comparison.results_csv import COLUMNS, metric_error, results_csv
from tests.comparison.compared import answered, compared, failed, outcome, rights


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
