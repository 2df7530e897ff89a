"""The baseline of a run: what it learns from where the time is short."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.finetuning import baseline as module
from foretext.finetuning.rehearsal import Cost
from foretext.tasks.classification.network import TextClassifier
from tests.task_files import TaskFiles, small_settings


@pytest.mark.parametrize(
    ("budget", "seconds", "expected"), [("6s", 0.04, 16), ("6s", 1e-6, 60), (None, 9.0, 60)]
)
def test_the_baseline_learns_from_as_many_rows_as_its_time_allows(
    budget: str | None, seconds: float, expected: int,
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    learned: list[int] = []
    real = TextClassifier.baseline.__func__

    def counting(cls: Any, rows: Sequence[Any]) -> Any:
        learned.append(len(rows))
        return real(cls, rows)

    monkeypatch.setattr(TextClassifier, "baseline", classmethod(counting))
    monkeypatch.setattr(module, "rehearsed", lambda *given, **named: Cost(0.0, seconds))
    monkeypatch.setattr(module, "FEWEST", 10)
    settings = small_settings("textcnn")
    if budget is not None:
        del settings["training"]["epochs"]
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        valid=task_files.test("classification"), budget=budget, settings=settings,
    )  # fmt: skip
    assert learned == [expected]
    name = RunFolder(tmp_path / "run").facts()["baseline"]["name"]
    assert name.endswith(f"of {expected} rows") is (expected < 60)


def test_an_ensemble_answers_with_a_baseline_of_all_rows(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "rehearsed", lambda *given, **named: Cost(0.0, 99.0))
    monkeypatch.setattr(module, "FEWEST", 10)
    settings = {**small_settings("textcnn"), "finetuning": {"ensemble": True}}
    del settings["training"]["epochs"]
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        valid=task_files.test("classification"), budget="6s", settings=settings,
    )  # fmt: skip
    assert "rows" not in RunFolder(tmp_path / "run").facts()["baseline"]["name"]
