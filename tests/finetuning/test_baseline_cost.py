"""A baseline that takes longer than its model is left out, and a run says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.finetuning import allotment as baseline_module
from foretext.finetuning.fasttext import FastTextLearner
from foretext.run_folder import RunFolder
from foretext.tasks.fasttext import training_cost
from foretext.tasks.regression_cost import RegressionCost

SMALL = {"epochs": 1, "dim": 4, "workers": 1}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three texts of each of 120 labels."""
    lines = [f"tag{i % 120}\tk{i % 120} w{i % 7} w{i % 11}" for i in range(360)]
    path = tmp_path / "rows.tsv"
    path.write_text("\n".join(["label\ttext", *lines]) + "\n", encoding="utf-8")
    return path


def learned(rows: Path, base: str = "fasttext", **options: Any) -> tuple[str, Any]:
    """Return the log and the baseline of a run."""
    out = rows.parent / "run"
    settings = {"classifier": SMALL, **options.pop("settings", {})}
    ft.finetune("classification", base, rows, out, settings=settings, **options)
    return (out / "train.log").read_text(encoding="utf-8"), RunFolder(out).facts()["baseline"]


def taking(monkeypatch: pytest.MonkeyPatch, baseline: float, model: float | None) -> None:
    """Let both take so many seconds, as far as estimates go."""
    cost = RegressionCost(120, 9, baseline, 0)
    monkeypatch.setattr(RegressionCost, "of", classmethod(lambda cls, *given: cost))
    monkeypatch.setattr(FastTextLearner, "expected_seconds", model)


@pytest.mark.parametrize(
    ("baseline", "model", "is_learned"),
    [(9.0, 8.0, False), (9.0, 10.0, True), (90.0, 95.0, True), (4.0, 0.1, True),
     (21.0, None, False), (19.0, None, True)],
)  # fmt: skip
def test_it_is_compared_with_the_time_of_the_model(
    baseline: float, model: float | None, is_learned: bool, rows: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    taking(monkeypatch, baseline, model)
    log, facts = learned(rows)
    assert (facts is not None) is is_learned
    assert ("first the baseline is learned: a linear classifier of 120 labels" in log) is is_learned
    assert ("there is no baseline: a linear classifier of 120" in log) is not is_learned


def test_what_the_note_advises_learns_it(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taking(monkeypatch, 600.0, 30.0)
    log, facts = learned(rows)
    assert "would take about 10 minutes, longer than the model itself (about 30 seconds)" in log
    assert "set finetuning.baseline=true to train it" in log
    assert facts is None
    asked = {"finetuning": {"baseline": True}}
    log, facts = learned(rows, settings=asked, overwrite=True)
    assert "takes about 10 minutes" in log
    assert facts is not None


def test_under_a_budget_it_takes_no_half_of_the_time(
    rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taking(monkeypatch, 30.0, 1.0)
    log, facts = learned(rows, budget="5s")
    assert "longer than half of the time; give a longer --budget" in log
    assert facts is None
    log, facts = learned(rows, budget="90s", overwrite=True)
    assert "takes about 30 seconds" in log
    assert facts is not None


def test_a_baseline_that_is_needed_is_learned_under_a_budget_too(
    rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline_module, "_is_used", lambda learner: True)
    taking(monkeypatch, 30.0, 1.0)
    log, facts = learned(rows, budget="5s")
    assert "there is no baseline" not in log
    assert facts is not None


def test_a_run_says_what_many_labels_take(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_cost, "LONG_SECONDS", 1e-6)
    log, _ = learned(rows)
    assert "120 labels, 324 rows, 1 epoch and dim 4: each of 2 trainings takes about" in log
