"""The recipe `lstm-lm` from the text to every verb, interrupted or not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import Interrupted, SettingError
from foretext.corpus import Corpus, CorpusConfig
from foretext.evaluation.language_model import evaluate_language_model
from foretext.nn.adaptive_softmax import AdaptiveSoftmax
from foretext.pretraining.planning import plan_network
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.training.loop import Training
from tests.contracts.interruption import stopping_at
from tests.networks import ANIMALS

SMALL = [
    "backbone.vector_size=32",
    "backbone.dim=32",
    "objective.row_length=8",
    "training.batch_examples=8",
    "training.valid_steps=20",
    "training.precision='fp32'",
]
STEPS = 60


def small(*settings: str, steps: int = STEPS) -> Recipe:
    length = f"training.steps={steps}"
    return Recipe.load("lstm-lm", [*SMALL, length, "training.learning_rate=0.02", *settings])


@pytest.fixture(scope="module")
def run(animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("lstm") / "run"
    run_recipe(small(), animal_text, folder, report=True)
    return RunFolder(folder)


@pytest.fixture(scope="module")
def model(run: RunFolder) -> ft.LanguageModel:
    return ft.LanguageModel.load(run.path)


def test_it_learns_which_word_follows(run: RunFolder, model: ft.LanguageModel) -> None:
    losses = [
        record["valid_loss"]
        for record in map(json.loads, run.metrics.read_text(encoding="utf-8").splitlines())
        if "valid_loss" in record
    ]
    assert losses[-1] < losses[0] < math.log(model.tokenizer.vocab_size)
    assert model.perplexity("the dog barks") < model.perplexity("barks dog the")


def test_it_opens_as_it_was_saved(model: ft.LanguageModel, tmp_path: Path) -> None:
    assert model.objective is not None
    assert isinstance(model.objective.token_head, AdaptiveSoftmax)
    model.save(tmp_path / "copy")
    again = ft.LanguageModel.load(tmp_path / "copy")
    text = "every night the owl hoots again"
    assert again.likelihood(text) == model.likelihood(text)
    assert np.array_equal(again.embed([text]), model.embed([text]))


def test_it_writes_words(model: ft.LanguageModel) -> None:
    (found,) = model.generate("the", max_new_tokens=6, temperature=0)
    assert set(found.text.split()) <= set(model.tokenizer.tokens)
    assert model.generate(max_new_tokens=3)  # an empty prompt begins a text


def test_a_file_is_measured_by_words(model: ft.LanguageModel, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("the dog barks in the morning\na cat purrs\n", encoding="utf-8")
    lines = CorpusConfig(documents="line")
    figures = evaluate_language_model(model, [path], corpus=lines)[0].figures
    assert figures["tokens"] == figures["words"] == 6 + 3 + 2
    assert figures["word_perplexity"] == figures["perplexity"]
    assert figures["bits_per_character"] == figures["bits_per_byte"]


def test_card_and_page_say_what_it_is(run: RunFolder) -> None:
    card = run.card.read_text(encoding="utf-8")
    assert "A causal language model" in card
    assert "backbone `recurrent`, 2 layers of width 32" in card
    assert "held-out perplexity per token" in card
    assert (run.path / "report.html").is_file()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_resumed_run_ends_in_the_same_bits(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    recipe = small(f"training.precision='{precision}'", steps=12)
    run_recipe(recipe, animal_text, tmp_path / "whole")
    monkeypatch.setattr(Training, "_step", stopping_at(5))
    with pytest.raises(Interrupted):
        run_recipe(recipe, animal_text, tmp_path / "run")
    monkeypatch.undo()
    run_recipe(recipe, animal_text, tmp_path / "run", resume=True)
    resumed, whole = ft.load(tmp_path / "run"), ft.load(tmp_path / "whole")
    for name, weight in whole.backbone.state_dict().items():
        assert weight.equal(resumed.backbone.state_dict()[name]), name
    assert resumed.likelihood("a cat purrs") == whole.likelihood("a cat purrs")


def test_a_plan_chooses_the_steps_only(animal_text: Path) -> None:
    recipe = Recipe.load("lstm-lm", SMALL)
    plan = plan_network(recipe, Corpus(animal_text), 30.0)
    assert plan.chosen.expected_loss is None  # the laws are of sub-words
    applied = plan.applied(recipe)
    assert applied.parts["objective"].settings()["row_length"] == 8
    assert applied.parts["tokenizer"].settings()["vocab_size"] == 30_000
    assert "budget_seconds" in applied.parts["training"].settings()


def test_a_task_is_learned_on_it(run: RunFolder, tmp_path: Path) -> None:
    rows = [f"{animal}\tthe {animal} is here" for animal in ANIMALS for _ in range(4)]
    path = tmp_path / "rows.tsv"
    path.write_text("\n".join(["label\ttext", *rows]), encoding="utf-8")
    settings = {"training": {"steps": 2}}
    model = ft.finetune("classification", run.path, path, settings=settings)
    assert model.predict(["the dog"])[0] in ANIMALS


def test_there_are_no_sizes() -> None:
    with pytest.raises(SettingError, match="no recipe 'lstm-lm-small': lstm-lm has no sizes"):
        Recipe.load("lstm-lm-small")


def test_a_text_without_held_out_part_is_learned(animal_text: Path, tmp_path: Path) -> None:
    learned = run_recipe(small("data.valid_rate=0.0", steps=2), animal_text, tmp_path / "run")
    assert learned.model.perplexity("the dog barks") > 1
