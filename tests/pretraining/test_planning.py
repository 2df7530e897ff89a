"""A run under a budget: planned, kept to its time, and resumed as it began."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.artifact import RunFolder
from foretext.base.errors import SettingError, UntrustedError
from foretext.pretraining.plan import planner
from foretext.pretraining.planning import resumed_recipe, ruled_recipe, wants_plan
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe

SMALL = ["tokenizer.vocab_size=120", "objective.row_length=24", "training.batch_examples=4"]


@pytest.fixture
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "SHAPES", planner.SHAPES[:2])


@pytest.mark.slow
@pytest.mark.usefixtures("two_sizes")
def test_a_run_follows_its_plan(animal_text: Path, tmp_path: Path) -> None:
    learned = run_recipe(
        Recipe.load("modern-bert", SMALL), animal_text, tmp_path / "run", budget=12
    )
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    kept = Recipe.load(tmp_path / "run" / "recipe.toml").sections()
    shape = next(each for each in plan["candidates"] if each["chosen"])
    assert kept["backbone"]["dim"] == shape["dim"]
    given = kept["training"]["budget_seconds"]
    assert given < 12
    last = learned.history[-1]
    assert last["time"] == pytest.approx(given, rel=0.2)
    assert last["learning_rate"] < 0.2 * kept["training"]["learning_rate"]  # the schedule ended
    log = (tmp_path / "run" / "train.log").read_text()
    assert "plan: 00:12 in all" in log
    assert f"plan: size {shape['name']}: " in log
    assert "s of the budget are left for the training" in log


def test_what_says_how_long_needs_no_plan() -> None:
    steps = Recipe.load("bert", ["training.steps=3"])
    assert not wants_plan(steps, None, None)
    assert wants_plan(steps, None, 60.0)
    assert wants_plan(Recipe.load("bert-tiny"), None, None)
    assert not wants_plan(Recipe.load("bert"), "runs/base", 60.0)


def test_without_a_plan_the_rate_fits_the_width() -> None:
    steps = Recipe.load("bert-large", ["training.steps=3"])
    rate = steps.sections()["training"]["learning_rate"]
    assert ruled_recipe(steps).sections()["training"]["learning_rate"] < rate


def begun_run(folder: Path) -> RunFolder:
    folder.mkdir()
    run = RunFolder(folder)
    run.begin()
    settings = {"num_layers": 3, "dim": 192, "num_heads": 3}
    recipe = Recipe.load("bert").with_settings("backbone", **settings).with_budget(51.5)
    recipe.save(run.recipe)
    (run.checkpoints / "budget.json").write_text(json.dumps({"seconds": 60.0}))
    (run.checkpoints / "step-1").mkdir()
    return run


def test_a_resumed_run_keeps_its_plan(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run")
    resumed = resumed_recipe(Recipe.load("bert"), run)
    assert resumed.sections() == Recipe.load(run.recipe).sections()


@pytest.mark.parametrize(
    ("recipe", "budget", "sentence"),
    [
        ("bert-tiny", None, r"backbone.dim = 192, not 128; resume with the same settings"),
        ("bert", 90.0, r"training.budget_seconds = 51.5, not 90.0; resume with the same settings"),
    ],
)
def test_another_wish_is_refused(
    tmp_path: Path, recipe: str, budget: float | None, sentence: str
) -> None:
    run = begun_run(tmp_path / "run")
    with pytest.raises(SettingError, match=sentence):
        run_recipe(Recipe.load(recipe), "no-text.txt", run.path, budget=budget, resume=True)


def test_a_run_is_not_resumed_with_code_of_its_own(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run")
    run.recipe.write_text(run.recipe.read_text().replace('"transformer"', '"evil:X"'))
    with pytest.raises(UntrustedError, match=r"\[backbone\] is 'evil:X'"):
        resumed_recipe(Recipe.load("bert"), run)
