"""What pages and Python take from ``compare.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import OutputError
from foretext.report.comparison_files import read_comparison

CANDIDATE: dict[str, Any] = {
    "name": "bert",
    "group": "pretrained",
    "status": "finished",
    "rounds": [
        {
            "round": 1,
            "given": 60,
            "used": 59.5,
            "seeds": [
                {"seed": 0, "run": "candidates/bert/round-1/seed-0", "valid": 0.9, "seconds": 9}
            ],
            "curve": [[2, 0.5], [9.5, 0.9]],
        }
    ],
    "test": {"value": 0.9, "low": 0.8, "high": 0.95, "each": [0.9]},
    "forecast": {"value": 0.92, "gain": 0.02, "seconds": 119.0, "from": "its learning curve"},
}
CONTENT: dict[str, Any] = {
    "foretext": "0.1",
    "task": "classification",
    "judged_by": "accuracy",
    "part": "test",
    "budget_seconds": 120,
    "used_seconds": 119.0,
    "rows": {"train": 100, "valid": 10, "test": 20},
    "seeds": [0],
    "rounds": 1,
    "candidates": [CANDIDATE],
}


def write(folder: Path, content: Any) -> Path:
    (folder / "compare.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_every_field_is_there_and_keeps_its_name(tmp_path: Path) -> None:
    found = read_comparison(write(tmp_path, {**CONTENT, "more": 1}))
    assert found["more"] == 1
    assert found["warnings"] == []
    assert found["recommendation"] is None
    bert = found["candidates"][0]
    assert bert["forecast"]["from"] == "its learning curve"
    assert bert["rounds"][0]["curve"] == [(2.0, 0.5), (9.5, 0.9)]
    assert bert["valid"] is None
    assert bert["rounds"][0]["pretraining_curve"] == []


@pytest.mark.parametrize("run", ["../other", "/etc", "a/../../b", "", "C:\\runs", "a\\..\\..\\b"])
def test_a_run_outside_the_folder_is_refused(tmp_path: Path, run: str) -> None:
    content = json.loads(json.dumps(CONTENT))
    content["candidates"][0]["rounds"][0]["seeds"][0]["run"] = run
    with pytest.raises(OutputError, match="inside the folder of the comparison"):
        read_comparison(write(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("candidates", {}),
        ("candidates", [{"name": "bert", "status": "won"}]),
        ("part", "train"),
        ("best", "../best"),
        ("budget_seconds", "60"),
        ("rows", {"train": -1}),
        ("disagreements", [{"text": 1, "right": "a", "answers": {}}]),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(OutputError, match=r"compare\.json is damaged: '"):
        read_comparison(write(tmp_path, {**CONTENT, name: value}))


def test_a_folder_without_a_comparison_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"compare\.json"):
        read_comparison(tmp_path)
