"""A search for settings: what is tried, what is left alone, and what an interruption costs."""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import (
    CorpusError,
    DivergedError,
    Interrupted,
    MissingExtraError,
    SettingError,
)
from foretext.data.rows import PairsConfig
from foretext.finetuning import run as road
from foretext.finetuning.network import NetworkLearner
from tests.task_files import TaskFiles, small_settings

pytest.importorskip("optuna")


def trials_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "trials.jsonl").read_text().splitlines()]


def test_the_best_of_the_trials_is_used(task_files: TaskFiles, tmp_path: Path) -> None:
    run, files = tmp_path / "run", task_files
    settings = {**small_settings("textcnn"), "task": {"label_smoothing": 0.1}}
    del settings["training"]["learning_rate"]
    began = time.monotonic()
    ft.finetune(
        "classification", "textcnn", files.train("classification"), run,
        valid=files.test("classification"), settings=settings, search="1.5s",
    )  # fmt: skip
    assert time.monotonic() - began > 0.5
    trials, search = trials_of(run), RunFolder(run).facts()["search"]
    best = max(trials, key=lambda trial: trial["score"])
    assert search["trials"] == len(trials) >= 1
    assert (search["score"], search["settings"]["dropout"]) == (best["score"], best["dropout"])
    assert set(search["settings"]) == {"dropout", "learning_rate"}  # the others were chosen
    recipe = tomllib.loads((run / "recipe.toml").read_text())
    assert recipe["training"]["learning_rate"] == best["learning_rate"]
    assert recipe["task"]["dropout"] == best["dropout"]
    assert (recipe["training"]["epochs"], recipe["task"]["label_smoothing"]) == (2.0, 0.1)
    assert RunFolder(run).facts()["valid"]["accuracy"] == best["score"]


def test_settings_that_diverge_are_passed_over(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial without a figure is written down, and another one is chosen."""
    real, tried = NetworkLearner.train, []

    def first_diverges(*arguments: Any) -> Any:
        tried.append(arguments)
        if len(tried) == 2:  # the first training makes the kernels ready
            raise DivergedError("The loss is no longer a number")
        return real(*arguments)

    monkeypatch.setattr(NetworkLearner, "train", first_diverges)
    files, settings = task_files, small_settings("textcnn")
    del settings["training"]["learning_rate"]
    arguments = ("classification", "textcnn", files.train("classification"))
    ft.finetune(*arguments, tmp_path / "run", settings=settings, search="1.5s")
    scores = [trial["score"] for trial in trials_of(tmp_path / "run")]
    assert scores[0] is None
    assert RunFolder(tmp_path / "run").facts()["search"]["score"] == max(scores[1:])
    monkeypatch.setattr(NetworkLearner, "train", _diverges)
    with pytest.raises(DivergedError, match="settings that were tried diverged; choose a lower"):
        ft.finetune(*arguments, tmp_path / "none", settings=settings, search="0.1s")


def _diverges(*arguments: Any) -> Any:
    raise DivergedError("The loss is no longer a number")


def test_a_pretrained_base_is_tried_with_rates_by_layer(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    settings = {"training": {"epochs": 1.0}}
    for freeze in ("none", "backbone"):
        run = tmp_path / freeze
        ft.finetune(
            "matching", bases["bert"], task_files.train("matching"), run, search="0.1s",
            settings={"training": {**settings["training"], "freeze": freeze}},
        )  # fmt: skip
        assert all(("layer_decay" in trial) is (freeze == "none") for trial in trials_of(run))


def test_what_has_no_effect_is_not_tried(task_files: TaskFiles, tmp_path: Path) -> None:
    """The cosine of two texts has no dropout, and what was chosen cannot be varied."""

    def search(settings: dict[str, dict[str, Any]]) -> None:
        ft.finetune(
            "matching", "lstm", task_files.train("matching"), tmp_path / "run", search="0.1s",
            rows=PairsConfig(score="score"), settings=settings,
        )  # fmt: skip

    settings = small_settings("lstm", epochs=0.4)
    with pytest.raises(SettingError, match="All that a search would try has been chosen"):
        search(settings)
    del settings["training"]["learning_rate"]
    search(settings)
    assert {"trial", "score", "learning_rate"} == set(trials_of(tmp_path / "run")[0])


def test_a_resume_goes_on_with_the_settings_found(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(**more: Any) -> Any:
        settings = small_settings("textcnn", epochs=1.0, checkpoint_seconds=0.0)
        del settings["training"]["learning_rate"]
        train = task_files.train("classification")
        return ft.finetune(
            "classification", "textcnn", train, tmp_path / "run",
            settings=settings, search="0.5s", **more,
        )  # fmt: skip

    def stop(*given: object) -> None:
        raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(road, "keep", stop)
        with pytest.raises(Interrupted):
            learn()
    before = trials_of(tmp_path / "run")
    monkeypatch.setattr(NetworkLearner, "search", stop)  # nothing is tried again
    learn(resume=True)
    assert trials_of(tmp_path / "run") == before
    assert RunFolder(tmp_path / "run").facts()["search"]["trials"] == len(before)


def test_too_few_rows_to_judge_by(tmp_path: Path) -> None:
    (tmp_path / "few.tsv").write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\n" * 5)
    with pytest.raises(CorpusError, match="too few rows to hold some out and judge settings"):
        ft.finetune("classification", "lstm", tmp_path / "few.tsv", tmp_path / "run", search="1s")
    assert not (tmp_path / "run").exists()


def test_without_optuna(
    task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    train = task_files.train("classification")
    with pytest.raises(MissingExtraError, match=r"foretext\[search\]"):
        ft.finetune("classification", "lstm", train, tmp_path / "run", search="1s")
    assert not (tmp_path / "run").exists()
