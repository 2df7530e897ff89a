"""Figures of held-out rows, and a model that learned from all: what learns in seconds has both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import OutputError, SettingError
from foretext.base.parsing import read_toml
from tests.tasks.fasttext.texts import ASKED, labelled_texts

SMALL = {"classifier": {"dim": 8, "workers": 1, "bucket": 1_000}}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hundred rows; of the last label there are few."""
    return written(tmp_path_factory.mktemp("rows") / "rows.tsv", 200, 0)


def written(path: Path, size: int, seed: int) -> Path:
    texts, labels = labelled_texts(size, seed)
    lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
    path.write_text("label\ttext\n" + "".join(lines), encoding="utf-8")
    return path


def learned(base: str, train: Path, out: Path, **more: Any) -> Any:
    settings: dict[str, Any] = {**(SMALL if base == "fasttext" else {})}
    for section, values in more.pop("settings", {}).items():
        settings[section] = {**settings.get(section, {}), **values}
    return ft.finetune("classification", base, train, out, settings=settings, **more)


def facts_of(run: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((run / "config.json").read_text("utf-8"))
    return facts


@pytest.mark.parametrize("base", ["linear", "fasttext"])
def test_without_other_rows_a_tenth_is_measured_and_all_are_learned(
    base: str, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = learned(base, rows, tmp_path / "run", quiet=False)
    facts = facts_of(tmp_path / "run")
    assert facts["valid"]["texts"] == 20
    assert facts["refit"] == {"train": 180, "valid": 20}
    assert facts["rows"] == 200
    told = " ".join(capsys.readouterr().err.split())
    assert "the figures are of 20 rows that were held out" in told
    assert "learns again from all 200 rows" in told
    settings = read_toml(tmp_path / "run" / "recipe.toml", OutputError)["finetuning"]
    assert (settings["valid_rate"], settings["refit"]) == (0.1, True)
    nine_tenths = learned(base, rows, tmp_path / "other", settings={"finetuning": {"refit": False}})
    assert facts_of(tmp_path / "other")["valid"] == facts["valid"]
    assert "refit" not in facts_of(tmp_path / "other")
    assert (kept.predict_proba(ASKED) != nine_tenths.predict_proba(ASKED)).any()


@pytest.mark.parametrize("base", ["linear", "fasttext"])
def test_the_recipe_of_such_a_run_repeats_it(base: str, rows: Path, tmp_path: Path) -> None:
    first = learned(base, rows, tmp_path / "first")
    again = ft.finetune(config=tmp_path / "first" / "recipe.toml", out=tmp_path / "again")
    np.testing.assert_array_equal(first.predict_proba(ASKED), again.predict_proba(ASKED))
    assert facts_of(tmp_path / "first")["valid"] == facts_of(tmp_path / "again")["valid"]


@pytest.mark.parametrize("base", ["linear", "fasttext"])
@pytest.mark.parametrize("part", ["test", "valid", "rate"])
def test_rows_that_are_given_are_not_learned(
    base: str, part: str, rows: Path, tmp_path: Path
) -> None:
    others = written(tmp_path / "others.tsv", 60, 1)
    more: dict[str, Any] = {
        "test": {"test": others},
        "valid": {"valid": others},
        "rate": {"settings": {"finetuning": {"valid_rate": 0.2}}},
    }[part]
    learned(base, rows, tmp_path / "run", **more)
    facts = facts_of(tmp_path / "run")
    assert "refit" not in facts
    assert facts["rows"] == (160 if part == "rate" else 200)
    assert (facts["valid"] is None) == (part == "test")


def test_a_network_has_no_such_setting(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"\[finetuning\] refit has no effect on 'textcnn'"):
        learned("textcnn", rows, tmp_path / "run", settings={"finetuning": {"refit": True}})


def test_fasttext_has_the_linear_baseline_beside_it(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    others = written(tmp_path / "others.tsv", 60, 1)
    learned("fasttext", rows, tmp_path / "run", test=others)
    baseline = facts_of(tmp_path / "run")["baseline"]
    assert baseline["name"] == "TF-IDF and logistic regression"
    assert baseline["test"]["accuracy"] > 0.8
    without = {"finetuning": {"baseline": False}}
    learned("fasttext", rows, tmp_path / "without", test=others, settings=without)
    assert facts_of(tmp_path / "without")["baseline"] is None
    monkeypatch.setattr("foretext.finetuning.fasttext.MOST_BASELINE_ROWS", 100)
    learned("fasttext", rows, tmp_path / "many", test=others, quiet=False)
    assert facts_of(tmp_path / "many")["baseline"] is None
    assert "the linear baseline is left out, as 200 rows" in capsys.readouterr().err
    asked = {"finetuning": {"baseline": True}}
    learned("fasttext", rows, tmp_path / "asked", test=others, settings=asked)
    assert facts_of(tmp_path / "asked")["baseline"] is not None


def test_a_run_says_what_was_chosen_for_its_rows(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learned("fasttext", rows, tmp_path / "run", quiet=False)
    sentence = (
        "chosen for these rows: lr 1, 100 epochs, single words, 4 to 6 letters side by side, "
        "each Chinese character a word, lower case"
    )
    assert facts_of(tmp_path / "run")["chosen"] == sentence
    assert sentence in " ".join(capsys.readouterr().err.split())
    settings = read_toml(tmp_path / "run" / "recipe.toml", OutputError)["classifier"]
    assert (settings["lr"], settings["epochs"], settings["word_ngrams"]) == (1.0, 100, 1)


def test_a_search_judges_by_rows_of_its_own(rows: Path, tmp_path: Path) -> None:
    """So that the figures of the held-out rows are honest."""
    pytest.importorskip("optuna")
    learned("fasttext", rows, tmp_path / "run", search=1.0)
    facts = facts_of(tmp_path / "run")
    assert facts["refit"] == {"train": 180, "valid": 20}
    trials = [
        json.loads(line) for line in (tmp_path / "run" / "trials.jsonl").read_text().splitlines()
    ]
    assert (trials[0]["lr"], trials[0]["epochs"]) == (1.0, 100)


def test_a_budget_does_not_prolong_a_training(rows: Path, tmp_path: Path) -> None:
    learned("fasttext", rows, tmp_path / "run", budget=30)
    facts = facts_of(tmp_path / "run")
    assert facts["seconds"] < 10
    settings = read_toml(tmp_path / "run" / "recipe.toml", OutputError)
    assert settings["classifier"]["epochs"] == 100
    assert "budget_seconds" not in settings["classifier"]
    both = {"classifier": {"budget_seconds": 2.0}}
    with pytest.raises(SettingError, match="budget_seconds does not go with --budget"):
        learned("fasttext", rows, tmp_path / "both", budget=30, settings=both)
