"""What is said of a model that answers alike, or is wrongly sure."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.finetuning.writing import model_warnings, remedy

SURE = [{"size": 100, "confidence": 0.8, "accuracy": 0.5},
        {"size": 300, "confidence": 0.9, "accuracy": 0.6}]  # fmt: skip


def learner(**changes: Any) -> Any:
    uses = {"sections": ("training",), "uses": {"calibrate"}, "origin": "scratch"}
    return SimpleNamespace(**{**uses, "finetuning": SimpleNamespace(calibrate=False), **changes})


def warned(rows: int = 400, error: float = 0.3, *, can: bool = True, **changes: Any) -> list[str]:
    found = {"rows": rows, "degenerate": None, "calibration_error": error, "reliability": SURE}
    model: Any = SimpleNamespace(can_calibrate=can)
    return list(model_warnings(learner(**changes), model, found))


def test_probabilities_that_mislead_are_named() -> None:
    assert warned() == [
        "Probabilities mislead: the answers have a probability of 0.88 on average, and 0.57 of "
        "them are right (expected calibration error 0.30). --set finetuning.calibrate=true fits "
        "them to held-out rows."
    ]
    assert warned(error=0.1) == []
    assert warned(rows=199) == []  # so few say little


@pytest.mark.parametrize(
    "changes",
    [{"can": False}, {"uses": set()}, {"finetuning": SimpleNamespace(calibrate=True)}],
)
def test_a_setting_without_effect_is_not_advised(changes: dict[str, Any]) -> None:
    [sentence] = warned(**changes)
    assert "finetuning.calibrate" not in sentence


def test_the_remedy_suits_what_learns() -> None:
    assert "from a pretrained model as BASE" in remedy(learner())
    assert "as BASE" not in remedy(learner(origin="pretrained"))
    assert "give more rows" in remedy(learner(sections=("linear",)))


def test_a_run_keeps_verdict_and_warnings(tmp_path: Path) -> None:
    rows = [f"{label}\tthe thing" for label in ("sea", "land", "sea") * 20]
    train = tmp_path / "train.tsv"
    train.write_text("\n".join(["label\ttext", *rows, ""]), encoding="utf-8")
    settings = {"training": {"steps": 1}, "backbone": {"vector_size": 4}}
    run = tmp_path / "run"
    ft.finetune("classification", "lstm", train, run, test=train, settings=settings)
    facts = RunFolder(run).facts()
    [alike] = facts["warnings"]
    assert alike.startswith("All 60 texts got the same answer")
    assert "Train longer" in alike
    assert facts["verdict"]["best"] != "model"
    assert facts["verdict"]["against"] == "baseline"
    assert facts["verdict"]["command"] == (
        f"foretext finetune classification linear {train} --test {train} -o {run}-linear"
    )
    log = (run / "train.log").read_text()
    assert f"warning: {alike}" in log
    assert facts["verdict"]["sentence"] in log
    assert json.loads((run / "examination.json").read_text())["degenerate"] in alike
