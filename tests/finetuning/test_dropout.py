"""The dropout that a network is trained with is the one that its recipe says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from torch import nn

import foretext as ft
from foretext.base.errors import SettingError
from foretext.finetuning import network
from foretext.finetuning.checks import RATES
from foretext.training.model import Model
from tests.task_files import SMALL, TaskFiles

SHAPES: dict[str, dict[str, Any]] = {
    "transformer": SMALL["transformer"],
    "deberta": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 48, "num_buckets": 8},
    "xlnet": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 48},
    "elmo": {"num_layers": 1, "dim": 16},
    "lstm": SMALL["lstm"],
}


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The backbones that a fine-tuning trains."""
    found: list[Any] = []
    fit = network.fit

    def watched(model: Model[Any], *arguments: Any, **named: Any) -> Any:
        found.append(model.backbone)
        return fit(model, *arguments, **named)

    monkeypatch.setattr(network, "fit", watched)
    return found


def tuned(
    files: TaskFiles, base: Any, run: Path, **sections: dict[str, Any]
) -> tuple[dict[str, Any], ...]:
    """Fine-tune for a step; return the sections of the recipe of the base, and of the rest."""
    training = {"steps": 1, "batch_examples": 8, "precision": "fp32"}
    ft.finetune(
        "classification", base, files.train("classification"), run,
        settings={"training": training, **sections},
    )  # fmt: skip
    recipe = tomllib.loads((run / "recipe.toml").read_text())
    return recipe.get("backbone", {}), recipe["finetuning"]


def rates_of(backbone: Any) -> set[float]:
    return {each.p for each in backbone.modules() if isinstance(each, nn.Dropout)}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_a_chosen_rate_is_obeyed_from_scratch(
    name: str, rate: float, task_files: TaskFiles, trained: list[Any], tmp_path: Path
) -> None:
    given = {**SHAPES[name], "dropout": rate}
    backbone, _ = tuned(task_files, name, tmp_path / "run", backbone=given)
    assert backbone["dropout"] == trained[0].config.dropout == rate
    others = {backbone.get(each, 0.0) for each in RATES[1:]}
    assert rates_of(trained[0]) <= {rate, *others}
    assert rate in rates_of(trained[0]) or name == "lstm"  # its tokens' dropout is a module's own


def test_one_chosen_rate_of_two(task_files: TaskFiles, trained: list[Any], tmp_path: Path) -> None:
    given = {**SHAPES["transformer"], "feed_forward_dropout": 0.25}
    backbone, _ = tuned(task_files, "transformer", tmp_path / "run", backbone=given)
    block = trained[0].blocks[0]
    assert (block.dropout.p, block.feed_forward.dropout.p) == (0.0, 0.25)
    assert (backbone["dropout"], backbone["feed_forward_dropout"]) == (0.0, 0.25)


@pytest.mark.parametrize("name", ["transformer", "deberta", "xlnet"])
def test_the_usual_rate_stands_in_the_recipe(
    name: str, task_files: TaskFiles, trained: list[Any], tmp_path: Path
) -> None:
    backbone, _ = tuned(task_files, name, tmp_path / "run", backbone=SHAPES[name])
    assert backbone["dropout"] == 0.1
    assert 0.1 in rates_of(trained[0])
    again, _ = tuned(task_files, name, tmp_path / "again", backbone=backbone)
    assert again == backbone
    assert rates_of(trained[1]) == rates_of(trained[0])


def test_a_pretrained_base(
    task_files: TaskFiles, bases: dict[str, Path], trained: list[Any], tmp_path: Path
) -> None:
    _, usual = tuned(task_files, bases["bert"], tmp_path / "usual")
    _, chosen = tuned(task_files, bases["bert"], tmp_path / "own", finetuning={"body_dropout": 0.2})
    assert (usual["body_dropout"], chosen["body_dropout"]) == (0.1, 0.2)
    assert [rates_of(each) for each in trained] == [{0.1}, {0.2}]
    shape, _ = tuned(  # the recipe of the run repeats it
        task_files, bases["bert"], tmp_path / "again", finetuning=usual
    )
    assert shape
    assert rates_of(trained[2]) == {0.1}


def test_one_setting_for_one_rate(
    task_files: TaskFiles, trained: list[Any], tmp_path: Path
) -> None:
    shape, own = SHAPES["transformer"], {"body_dropout": 0.2}
    with pytest.raises(SettingError, match=r"\[backbone\] dropout and \[finetuning\] body_dropout"):
        tuned(
            task_files, "transformer", tmp_path / "both",
            backbone={**shape, "dropout": 0.1}, finetuning=own,
        )  # fmt: skip
    backbone, _ = tuned(task_files, "transformer", tmp_path / "run", backbone=shape, finetuning=own)
    assert rates_of(trained[-1]) == {0.2}
    assert not backbone.keys() & set(RATES)
    tuned(task_files, "transformer", tmp_path / "again", backbone=backbone, finetuning=own)
    assert rates_of(trained[-1]) == {0.2}
