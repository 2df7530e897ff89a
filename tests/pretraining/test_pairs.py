"""Pairs of an objective and a backbone that no recipe has, one of them from outside the package."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.evaluation.language_model import evaluate_language_model
from foretext.pretraining.plan import planner
from foretext.pretraining.planning import plan_network
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.report.run_report import report_run
from foretext.run_folder import RunFolder
from foretext.vectors.word_vectors import WordVectors

NAME = "tests.outside.replaced_tokens:ReplacedTokens"
SHAPE = ["backbone.num_layers=2", "backbone.dim=32", "backbone.num_heads=2"]
TRAINING = ["training.batch_examples=8", "training.precision='fp32'", "training.valid_steps=6"]
RECURRENT = ["backbone.name=recurrent", "backbone.bidirectional=false", "objective.tied=false"]


def replaced(*settings: str) -> Recipe:
    small = [*SHAPE, *TRAINING, "tokenizer.vocab_size=200", "training.steps=12"]
    return Recipe.load("bert", [f"objective.name={NAME}", *small, *settings])


@pytest.fixture(scope="module")
def run(animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("outside") / "run"
    run_recipe(replaced(), animal_text, folder, report=True)
    return RunFolder(folder)


def test_it_is_kept_with_card_and_page(run: RunFolder) -> None:
    card = (run.path / "README.md").read_text()
    assert f"\n# {NAME}\n\n2 layers of width 32" in card
    assert "held-out replaced tokens accuracy" in card
    assert "ft.load(" in card
    assert "model.fill" not in card
    assert not run.samples.exists()  # it has no `sample`
    assert "replaced" in report_run(run.path).read_text()


def test_it_is_used(run: RunFolder, animal_text: Path) -> None:
    model = ft.load(run.path)
    assert model.embed(["the dog barks"]).shape == (1, 32)
    (found,) = evaluate_language_model(model, [animal_text])
    assert found.figures["kind"] == "ReplacedTokens language model"
    assert 0 < float(found.figures["replaced_tokens_accuracy"]) <= 1
    for verb, sentence in [
        (model.fill, r"fill needs a masked model \(BERT\); this one was pretrained by Replaced"),
        (model.generate, r"generate needs a causal model \(GPT\); .* ReplacedTokens: use embed"),
    ]:
        with pytest.raises(SettingError, match=sentence):
            verb("the dog")


def test_it_is_planned(animal_text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "SHAPES", planner.SHAPES[:1])
    recipe = replaced()
    plan = plan_network(recipe, Corpus(animal_text, recipe.corpus), 20.0)
    assert plan.as_dict()["loss"] is None
    assert plan.chosen.tokens_per_second


@pytest.fixture(scope="module")
def recurrent(animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("recurrent") / "run"
    small = ["backbone.dim=24", "tokenizer.vocab_size=320", "training.steps=12", *TRAINING]
    run_recipe(Recipe.load("gpt", [*RECURRENT, *small]), animal_text, folder)
    return RunFolder(folder)


def test_a_recurrent_gpt_generates(recurrent: RunFolder, animal_text: Path) -> None:
    model = ft.load(recurrent.path)
    (text,) = model.generate("the dog", max_new_tokens=5, temperature=0)
    assert len(text.ids) <= 5
    assert [text] == ft.load(recurrent.path).generate("the dog", 5, temperature=0)
    assert math.isfinite(model.likelihood("the dog barks").loss)
    assert recurrent.samples.is_file()
    assert (
        "A backbone `recurrent`, 1 layer of width 24" in (recurrent.path / "README.md").read_text()
    )


@pytest.mark.parametrize(
    ("recipe", "settings", "sentence"),
    [
        (
            "gpt",
            ["backbone.bidirectional=false", "backbone.vector_size=50"],
            r"tied = true .* Recurrent have 50 numbers and its states 100; set",
        ),
        ("bert", ["backbone.bidirectional=false"], "needs full visibility, and .* causal only"),
        ("gpt", ["objective.tied=false"], "CausalLM needs causal visibility, and .* full only"),
        ("gpt", ["backbone.num_heads=2"], r"\[backbone\] num_heads: there is no such setting"),
    ],
)
def test_a_pair_that_does_not_fit_is_refused_before_text_is_read(
    recipe: str, settings: list[str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=sentence):
        run_recipe(
            Recipe.load(recipe, ["backbone.name=recurrent", *settings]),
            tmp_path / "missing.txt",
            tmp_path / "run",
        )
    assert not (tmp_path / "run").exists()


def test_a_base_of_another_kind_is_refused(animal_text: Path, tmp_path: Path) -> None:
    vectors = WordVectors(["a", "b"], np.ones((2, 3)))
    with pytest.raises(SettingError, match="cannot be pretrained further from word vectors"):
        ft.pretrain(replaced(), animal_text, tmp_path / "run", base=vectors)
