"""An objective and a backbone from outside the package: every verb works, and a run resumes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import Interrupted, UntrustedError
from foretext.evaluation.language_model import evaluate_language_model
from foretext.extend import Corpus, Inputs, SettingError
from foretext.pretraining.planning import plan_network
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.training.loop import Training
from tests.contracts.interruption import stopping_at

RECIPES = {
    "objective": (
        "bert-tiny",
        "objective.name=tests.outside.replaced_tokens:ReplacedTokens",
        "objective.row_length=24",
        "backbone.dim=32",
        "backbone.max_length=48",
    ),
    "backbone": (
        "gpt",
        "backbone.name=tests.outside.my_lstm:LSTM",
        "backbone.dim=32",
        "objective.row_length=24",
    ),
}
COMMON = (
    "tokenizer.vocab_size=400",
    "training.steps=40",
    "training.learning_rate=0.002",
    "training.batch_examples=8",
    "training.valid_steps=10",
    "training.precision='fp32'",
)
TEXTS = ["the dog barks in the morning .", "a cat"]


def recipe_of(name: str) -> Recipe:
    first, *settings = RECIPES[name]
    return Recipe.load(first, [*settings, *COMMON])


@pytest.fixture(autouse=True)
def _trust_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretext.base.registry._trusted", set())


@pytest.fixture(scope="module", params=RECIPES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def run(name: str, animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("outside") / "run"
    run_recipe(recipe_of(name), animal_text, folder, report=write_report)
    return RunFolder(folder)


@pytest.fixture
def model(run: RunFolder) -> ft.LanguageModel:
    ft.trust("tests.outside")
    return ft.LanguageModel.load(run.path)


def test_it_learns_and_is_kept(run: RunFolder) -> None:
    records = [json.loads(line) for line in run.metrics.read_text().splitlines()]
    assert records[-1]["valid_loss"] < records[0]["valid_loss"]
    assert run.finished
    assert "ft.load(" in run.card.read_text()
    assert run.report.is_file()


def test_a_folder_runs_no_code_that_nobody_trusts(run: RunFolder) -> None:
    with pytest.raises(UntrustedError, match="--trust"):
        ft.load(run.path)


@pytest.mark.quick_cases(1)
def test_it_resumes_to_the_same_bits(
    name: str,
    model: ft.LanguageModel,
    animal_text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Training, "_step", stopping_at(7))
        with pytest.raises(Interrupted):
            run_recipe(recipe_of(name), animal_text, tmp_path / "run")
    resumed = run_recipe(recipe_of(name), animal_text, tmp_path / "run", resume=True).model
    assert np.array_equal(resumed.embed(TEXTS), model.embed(TEXTS))


def test_it_is_planned(name: str, animal_text: Path) -> None:
    plan = plan_network(recipe_of(name), Corpus(animal_text), 2.0)
    assert plan.chosen.tokens_per_second
    assert list(plan.sentences())


def test_it_is_measured(model: ft.LanguageModel, animal_text: Path) -> None:
    (result,) = evaluate_language_model(model, [animal_text])
    assert np.isfinite(result.as_dict()["loss"])


def test_its_verbs_are_its_own(name: str, model: ft.LanguageModel) -> None:
    assert model.embed(TEXTS).shape == (2, 32)
    with pytest.raises(SettingError, match="fill needs a masked model"):
        model.fill("the [MASK] barks")
    if name == "backbone":
        (written,) = model.generate("the dog", max_new_tokens=60, seed=1)
        assert len(written.ids) == 60 or written.ended_by == "end"
        assert model.perplexity(TEXTS) > 1
        check_cache(model)
    else:
        with pytest.raises(SettingError, match="generate needs a causal model"):
            model.generate("the dog")


def test_a_task_is_learned_on_it(model: ft.LanguageModel, tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    lines = [f"the {animal} in the morning\t{animal}" for animal in ("cat", "dog")] * 12
    rows.write_text("\n".join(["text\tlabel", *lines]) + "\n")
    settings = {"training": {"epochs": 8.0, "learning_rate": 1e-2, "precision": "fp32"}}
    learned = ft.finetune(
        "classification", model, rows, tmp_path / "task", test=rows, settings=settings
    )
    assert learned.predict(["the cat in the morning"]).tolist() == ["cat"]
    opened = ft.load(tmp_path / "task")
    assert (
        opened.predict(["the dog in the morning"]).tolist()
        == learned.predict(["the dog in the morning"]).tolist()
    )


def check_cache(model: ft.LanguageModel) -> None:
    """Check that reading token by token gives the states of reading at once."""
    ids = torch.randint(model.tokenizer.vocab_size, (2, 9), generator=torch.manual_seed(1))
    cache = model.backbone.new_cache()
    with torch.inference_mode():
        whole = model.backbone(Inputs(ids, visibility="causal")).last
        steps = [
            model.backbone(Inputs(part, visibility="causal"), cache=cache).last
            for part in ids.split(4, 1)
        ]
    assert torch.allclose(torch.cat(steps, 1), whole, atol=1e-6)
