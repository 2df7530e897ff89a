"""The end of a run under a budget: which rows are measured, and what a person hears of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import SettingError
from foretext.finetuning import allotment, closing
from foretext.finetuning.allotment import Cost
from foretext.finetuning.network import NetworkLearner, TaskValidation
from foretext.tasks.classification.network import TextClassifier
from tests.task_files import TOPICS, TaskFiles, small_settings


def budgeted(files: TaskFiles, run: Path, budget: str, **more: Any) -> Any:
    settings = small_settings("textcnn")
    del settings["training"]["epochs"]
    return ft.finetune(
        "classification", "textcnn", files.train("classification"), run,
        test=files.test("classification"), budget=budget, settings=settings, **more,
    )  # fmt: skip


@pytest.mark.slow
def test_sampled_test_rows_are_said_and_kept(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "rehearsed", lambda *given: Cost(0.0, 0.2))
    monkeypatch.setattr(allotment, "FEWEST_ROWS", 4)
    monkeypatch.setattr(allotment, "FEWEST_LEARNED", 20)
    budgeted(task_files, tmp_path / "run", "8s")
    facts = RunFolder(tmp_path / "run").facts()
    examined = json.loads((tmp_path / "run" / "examination.json").read_text())
    assert 4 <= examined["rows"] < 18
    assert facts["warnings"][0].startswith("20 of 54 rows are learned from")
    assert f"{examined['rows']} of 18 test rows" in facts["warnings"][1]
    assert facts["rows"] == 20
    recipe = tomllib.loads((tmp_path / "run" / "recipe.toml").read_text())
    assert recipe["run"]["budget"] == 8.0


def test_a_budget_that_is_used_up_is_refused_before_the_training(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*given: Any) -> None:
        raise AssertionError("nothing is trained")

    monkeypatch.setattr(NetworkLearner, "train", train)
    monkeypatch.setattr(closing, "rehearsed", lambda *given: Cost(0.0, 1.0))
    with pytest.raises(SettingError, match=r"--budget 3s is too short: .* give at least \d+s"):
        budgeted(task_files, tmp_path / "run", "3s")
    assert not (tmp_path / "run").exists()


def test_without_a_budget_nothing_is_rehearsed(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rehearse(*given: Any) -> None:
        raise AssertionError("it has no budget")

    monkeypatch.setattr(closing, "rehearsed", rehearse)
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        settings=small_settings("textcnn"),
    )  # fmt: skip
    assert RunFolder(tmp_path / "run").facts()["warnings"] == []


def test_a_sample_of_a_sorted_file_has_all_labels(task_files: TaskFiles, tmp_path: Path) -> None:
    model = ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        settings=small_settings("textcnn"),
    )  # fmt: skip
    assert isinstance(model, TextClassifier)
    rows = model.task.read(task_files.train("classification"))
    by_label = sorted(rows, key=lambda row: row.labels)
    validation = TaskValidation(model, by_label, 16)
    assert validation.num_examples == len(validation.rows) == 60
    validation.sample(20)
    sample = list(validation.rows)
    assert len(sample) == 20
    assert {row.labels[0] for row in sample} == set(TOPICS)
    validation.sample(60)
    validation.sample(20)
    assert np.array_equal([row.place for row in sample], [row.place for row in validation.rows])
