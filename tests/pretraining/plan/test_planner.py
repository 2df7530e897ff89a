"""A plan from end to end, on a small text, by a clock that is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base import system
from foretext.base.errors import SettingError
from foretext.base.sizes import SIZES
from foretext.corpus import Corpus
from foretext.objectives.masked_lm import MaskedLM
from foretext.pretraining.building import build_model
from foretext.pretraining.plan import Plan, planner
from foretext.pretraining.plan import planner as trials
from foretext.pretraining.plan.planner import make_plan
from foretext.recipe import Recipe
from foretext.tokenizers.subwords import learn_subwords

SMALL = ["tokenizer.vocab_size=120", "objective.row_length=24", "training.batch_examples=4"]


class Clock:
    """Goes on by a tenth of a second at every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.1
        return self.now


@pytest.fixture(autouse=True)
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the smallest are tried."""
    monkeypatch.setattr(trials, "SHAPES", trials.SHAPES[:2])


def plan_of(recipe: Recipe, text: Path, budget: float | None = 60.0) -> Plan:
    return make_plan(recipe, Corpus(text), build_model, budget, timer=Clock())


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["bert", "gpt", "modern-bert", "modern-gpt", "electra"])
def test_every_language_model_can_be_planned(name: str, animal_text: Path) -> None:
    size = 320 if "gpt" in name else 120
    recipe = Recipe.load(name, [f"tokenizer.vocab_size={size}", *SMALL[1:]])
    plan = plan_of(recipe, animal_text)
    assert plan == plan_of(recipe, animal_text)
    applied = plan.applied(recipe)
    assert applied.parts["backbone"].settings()["dim"] == plan.chosen.dim
    assert applied.parts["training"].settings()["budget_seconds"] == plan.training_seconds
    assert applied.parts["training"].settings()["batch_examples"] == 4
    kind, config = applied.parts["tokenizer"]
    tokenizer = learn_subwords(str(kind), config.model_dump(), Corpus(animal_text))
    model = build_model(applied, tokenizer)
    assert plan.chosen.parameters == sum(weights.numel() for weights in model.parameters())


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "settings", "planned"),
    [
        ("modern-bert", [], {"short_row_rate", "stacking_rate"}),
        ("bert", [], {"stacking_rate"}),  # pairs of sentences cannot be cut
        ("bert", ["training.sharding=optimizer"], set()),
        ("bert", ["training.stacking_rate=0.2"], set()),
        ("modern-bert", ["backbone.num_layers=1"], {"short_row_rate"}),
        ("xlnet", [], {"stacking_rate"}),  # its rows are whole
        ("t5", ["tokenizer.vocab_size=200"], {"stacking_rate"}),
    ],
)
def test_a_training_begins_small_where_it_can(
    name: str, settings: list[str], planned: set[str], animal_text: Path
) -> None:
    recipe = Recipe.load(name, [*SMALL, *settings])
    plan = plan_of(recipe, animal_text)
    found = plan.settings["training"].keys() & {"short_row_rate", "stacking_rate"}
    assert found == planned
    plan.applied(recipe)


class OwnObjective(MaskedLM):
    """One that says nothing about its loss."""

    loss_law = None


def test_a_loss_that_cannot_be_forecast_is_none(animal_text: Path) -> None:
    named = f"objective.name={__name__}:OwnObjective"
    recipe = Recipe.load("bert-tiny", [*SMALL, named])
    plan = plan_of(recipe, animal_text)
    assert plan.as_dict()["loss"] is None
    assert any("its loss cannot be forecast: no scaling law" in line for line in plan.sentences())
    known = plan_of(Recipe.load("bert-tiny", SMALL), animal_text)
    assert "cannot be forecast" not in " ".join(known.sentences())


@pytest.mark.slow
def test_the_memory_of_other_networks_counts(animal_text: Path) -> None:
    def memory(rate: float) -> int:
        settings = [*SMALL, f"objective.generator_rate={rate}", "training.batch_examples=64"]
        (candidate,) = plan_of(Recipe.load("electra-tiny", settings), animal_text).candidates
        return candidate.memory_bytes - round(20 * candidate.parameters)  # without weights

    assert memory(1.0) > memory(0.5)


def test_a_chosen_size_is_kept(animal_text: Path) -> None:
    plan = plan_of(Recipe.load("bert-tiny", SMALL), animal_text)
    assert [candidate.name for candidate in plan.candidates] == ["tiny"]
    assert not plan.settings["backbone"].keys() & set(SIZES["tiny"]._fields)


def test_without_a_budget_the_text_decides(animal_text: Path) -> None:
    plan = plan_of(Recipe.load("bert-tiny", SMALL), animal_text, None)
    assert not plan.chosen_budget
    assert next(plan.sentences()).startswith("00:30 in all, by the size of the text (--budget sets")


def test_what_does_not_fit_is_refused(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meminfo").write_text("MemAvailable:  100000 kB\n")
    monkeypatch.setattr(system, "MEMINFO", tmp_path / "meminfo")
    with pytest.raises(SettingError, match=r"size tiny needs about \d+ MB .* 102 MB are free"):
        plan_of(Recipe.load("bert-tiny", SMALL), animal_text)


def test_it_is_kept_as_json(animal_text: Path, tmp_path: Path) -> None:
    plan = plan_of(Recipe.load("bert-tiny", SMALL), animal_text)
    plan.save(tmp_path / "plan.json")
    kept = json.loads((tmp_path / "plan.json").read_text())
    assert kept["budget_seconds"] == 60.0
    assert kept["parameters"] == plan.chosen.parameters
    assert kept["candidates"][0]["chosen"] is True


def test_many_epochs_are_warned_of(animal_text: Path) -> None:
    plan = plan_of(Recipe.load("bert-tiny", SMALL), animal_text, 36_000.0)
    assert any("after 40 epochs little is left" in line for line in plan.sentences())


def test_a_text_that_takes_too_long_to_encode_is_read_in_part(
    animal_text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe.load("bert-tiny", SMALL)
    whole = plan_of(recipe, animal_text, 60.0)

    class SlowText(trials.Trials):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.preparation_seconds = 100.0

    monkeypatch.setattr(planner, "Trials", SlowText)
    part = plan_of(recipe, animal_text, 60.0)
    assert whole.text_rate == 1.0
    assert 0.2 < part.text_rate < 0.24  # 24 of 60 seconds are for reading, less the planning
    assert part.corpus_tokens == pytest.approx(part.text_rate * whole.corpus_tokens, abs=1)
    assert part.preparation_seconds + part.planning_seconds <= 0.45 * 60
    assert any(f"{part.text_rate:.0%} of the text is used" in line for line in part.sentences())


def test_a_budget_without_time_to_learn_is_refused(animal_text: Path) -> None:
    recipe = Recipe.load("bert-tiny", SMALL)
    with pytest.raises(SettingError, match=r"A budget of 3 s leaves no time .* --budget \d+s"):
        make_plan(recipe, Corpus(animal_text), build_model, 3.0, used=2.9, timer=Clock())
