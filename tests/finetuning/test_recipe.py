"""Recipes of fine-tuning: read from a file, put together, and repeated to the bit."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.data.rows import RowsConfig
from foretext.finetuning.recipe import TaskRecipe
from foretext.run_folder import RunFolder
from tests.task_files import SMALL, TaskFiles, small_settings

FILE = """\
[run]
task = "classification"
base = "lstm"
train = "train.tsv"
budget = "2m"

[training]
learning_rate = 0.01

[rows]
text = "body"
"""


def write(path: Path, text: str = FILE) -> Path:
    path.write_text(text)
    return path


def test_a_file_has_all_that_a_run_needs(tmp_path: Path) -> None:
    recipe = TaskRecipe.load(write(tmp_path / "recipe.toml"))
    assert (recipe.task, recipe.base, recipe.train) == ("classification", "lstm", "train.tsv")
    assert (recipe.valid, recipe.budget_seconds, recipe.search_seconds) == (None, 120.0, None)
    assert recipe.settings == {"training": {"learning_rate": 0.01}, "rows": {"text": "body"}}


def test_arguments_go_over_the_file(tmp_path: Path) -> None:
    recipe = TaskRecipe.load(
        write(tmp_path / "recipe.toml"),
        {"training": {"learning_rate": 0.1, "seed": 3}, "task": {"dropout": 0.0}},
        base="gru",
        test="test.tsv",
        valid=None,
    )
    assert recipe.run_section() == {
        "task": "classification", "base": "gru", "train": "train.tsv", "test": "test.tsv",
    }  # fmt: skip
    assert recipe.settings["training"] == {"learning_rate": 0.1, "seed": 3}
    assert recipe.settings["task"] == {"dropout": 0.0}


@pytest.mark.parametrize(
    ("chosen", "run", "left"),
    [
        ({"training": {"steps": 5}}, {}, {"steps": 5, "seed": 2}),
        ({}, {"budget": "1m"}, {"seed": 2}),
        ({"training": {"seed": 4}}, {}, {"epochs": 3.0, "seed": 4}),
    ],
)
def test_a_chosen_length_replaces_the_length_of_the_file(
    chosen: Any, run: dict[str, Any], left: dict[str, Any], tmp_path: Path
) -> None:
    file = write(tmp_path / "recipe.toml", "[training]\nepochs = 3.0\nseed = 2\n")
    recipe = TaskRecipe.load(file, chosen, task="tagging", base="lstm", train="x", **run)
    assert recipe.settings["training"] == left


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "TASK is missing"),
        ({"task": "tagging"}, "BASE is missing"),
        ({"task": "tagging", "base": "lstm"}, "TRAIN is missing; name it as an argument"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingError, match=missing):
        TaskRecipe.load(**given)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[run]\ntsk = 'tagging'\n", r"\[run\] tsk: there is no such setting. Did you mean 'task'"),
        ("[run]\ntrain = 3\n", r"\[run\] train = 3"),
        ("task = 'tagging'\n", "outside of a section"),
        ("[run\n", "is not TOML"),
    ],
)
def test_a_file_that_is_wrong_says_so(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=sentence):
        TaskRecipe.load(write(tmp_path / "recipe.toml", text), task="t", base="b", train="t")


class TestRepeat:
    """``recipe.toml`` of a run, given to ``--config``, gives the same model."""

    def repeat(self, run: Path, folder: Path) -> tuple[Any, Any]:
        """The model of a run, and that of its recipe."""
        recipe = tomllib.loads((run / "recipe.toml").read_text())
        again = ft.finetune(config=run / "recipe.toml", out=folder)
        assert tomllib.loads((folder / "recipe.toml").read_text()) == recipe
        return ft.load(run), again

    @pytest.mark.quick_cases(2)
    @pytest.mark.parametrize(
        "base", ["lstm", "textcnn", "transformer", "bert", "vectors", "word2vec"]
    )
    @pytest.mark.parametrize("task", ["classification", "tagging"])
    def test_on_every_kind_of_base(
        self, task: str, base: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
    ) -> None:
        ft.finetune(
            task, str(bases.get(base, base)), task_files.train(task), tmp_path / "run",
            settings=small_settings(base, epochs=1.0, seed=5),
        )  # fmt: skip
        one, other = self.repeat(tmp_path / "run", tmp_path / "again")
        rows = one.task.read(task_files.test(task))
        texts = [row.text if task == "classification" else row.tokens for row in rows]
        for own, theirs in zip(one.predict_proba(texts), other.predict_proba(texts), strict=True):
            np.testing.assert_array_equal(own, theirs)

    def test_with_seeds_of_which_not_the_first_is_best(
        self, task_files: TaskFiles, tmp_path: Path
    ) -> None:
        settings = {**small_settings("textcnn", epochs=1.0), "finetuning": {"seeds": 3}}
        train, test = task_files.train("classification"), task_files.test("classification")
        ft.finetune(
            "classification", "textcnn", train, tmp_path / "run", test=test, settings=settings
        )
        self.repeat(tmp_path / "run", tmp_path / "again")
        facts = [RunFolder(tmp_path / name).facts() for name in ("run", "again")]
        assert facts[0]["seeds"] == facts[1]["seeds"]
        weights = [
            (tmp_path / name / "model.safetensors").read_bytes() for name in ("run", "again")
        ]
        assert weights[0] == weights[1]

    @pytest.mark.quick_cases(1)
    @pytest.mark.parametrize("base", ["textcnn", "fasttext"])
    def test_with_what_a_search_found(
        self, base: str, task_files: TaskFiles, tmp_path: Path
    ) -> None:
        pytest.importorskip("optuna")
        small = {"classifier": {"workers": 1, "dim": 8, "maxn": 2, "bucket": 500}}
        if base == "textcnn":
            small = {"backbone": SMALL["textcnn"], "training": {"epochs": 1.0, "precision": "fp32"}}
        ft.finetune(
            "classification", base, task_files.train("classification"), tmp_path / "run",
            settings=small, search="0.5s",
        )  # fmt: skip
        one, other = self.repeat(tmp_path / "run", tmp_path / "again")
        texts = ["the cat in the noon .", "every dog"]
        np.testing.assert_array_equal(one.predict_proba(texts), other.predict_proba(texts))

    @pytest.mark.slow
    def test_with_a_budget_for_each_seed(self, task_files: TaskFiles, tmp_path: Path) -> None:
        settings = {"backbone": SMALL["textcnn"], "finetuning": {"seeds": 2}}
        ft.finetune(
            "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
            settings=settings, budget="3s",
        )  # fmt: skip
        self.repeat(tmp_path / "run", tmp_path / "again")
        recipe = tomllib.loads((tmp_path / "again" / "recipe.toml").read_text())
        assert recipe["run"]["budget"] == 3.0

    def test_of_the_linear_classifier_with_columns(self, tmp_path: Path) -> None:
        train = tmp_path / "train.tsv"
        train.write_text("topic\tbody\n" + "sea\ta ship\nlaw\ta judge\n" * 5)
        rows = RowsConfig(text="body", label="topic")
        ft.finetune("classification", "linear", train, tmp_path / "run", rows=rows)
        one, other = self.repeat(tmp_path / "run", tmp_path / "again")
        assert one.predict_top(["a ship"]) == other.predict_top(["a ship"])
