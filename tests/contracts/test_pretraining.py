"""What every pair of an objective and a backbone does, through the public verbs."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import Interrupted, SettingError
from foretext.corpus import Corpus
from foretext.evaluation.language_model import evaluate_language_model
from foretext.objectives.base import Objective
from foretext.pretraining.building import check_model
from foretext.pretraining.planning import plan_network
from foretext.pretraining.pretraining import run_recipe
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.training.loop import Training
from tests.contracts.covering import covering, quick_if
from tests.contracts.interruption import stopping_at
from tests.contracts.pairs import GUESSED, LAWFUL, STEPS, UNLAWFUL, Pair, small_recipe
from tests.shown_runs import check_shown, parts_of

TEXTS = ["the dog barks in the morning .", "a cat", "every night the owl hoots again ."]
NUM_LETTERS = 26
SHARE = 0.9  # of the entropy: of masked tokens some stay visible


def values_of(pair: Pair) -> tuple[str, str]:
    return pair.objective, f"{pair.backbone} {pair.form}"


QUICK = covering(LAWFUL, values_of)
OBJECTIVES = covering(LAWFUL, lambda pair: [pair.objective])
BACKBONES = covering(LAWFUL, lambda pair: [pair.objective, pair.backbone])


@pytest.fixture(scope="module", params=quick_if(LAWFUL, QUICK))
def pair(request: pytest.FixtureRequest) -> Pair:
    found: Pair = request.param
    return found


@pytest.fixture(scope="module")
def run(pair: Pair, animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A kept run of a pair."""
    folder = tmp_path_factory.mktemp("run") / "run"
    run_recipe(small_recipe(pair), animal_text, folder, report=False)
    return RunFolder(folder)


@pytest.fixture(scope="module")
def model(run: RunFolder) -> ft.LanguageModel:
    return ft.LanguageModel.load(run.path)


@pytest.mark.parametrize("pair", UNLAWFUL, ids=str)
def test_a_pair_that_does_not_fit_is_refused_before_the_text_is_read(
    pair: Pair, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=r"visibility|source text"):
        run_recipe(small_recipe(pair), tmp_path / "no such file", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_it_learns(run: RunFolder) -> None:
    losses = valid_losses(run)
    assert len(losses) == STEPS // 4
    assert losses[-1] < losses[0]


def test_the_run_is_whole(run: RunFolder) -> None:
    assert run.finished
    assert run.kind == "language model"
    assert "ft.load(" in run.card.read_text(encoding="utf-8")
    assert write_report(run).is_file()


def test_it_shows_samples_if_its_objective_has_some(
    run: RunFolder, model: ft.LanguageModel
) -> None:
    assert model.objective is not None
    has_samples = type(model.objective).sample is not Objective.sample
    assert run.samples.is_file() == has_samples


def test_it_is_loaded_as_it_was_saved(model: ft.LanguageModel, tmp_path: Path) -> None:
    model.save(tmp_path / "copy")
    again = ft.LanguageModel.load(tmp_path / "copy")
    assert np.array_equal(again.embed(TEXTS), model.embed(TEXTS))


def test_padding_has_no_effect(run: RunFolder) -> None:
    model = ft.LanguageModel.load(run.path, precision="fp32")  # rounding depends on shapes
    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    assert np.allclose(model.embed(TEXTS), alone, atol=1e-5)


def test_its_verbs_are_those_of_its_objective(model: ft.LanguageModel) -> None:
    objective = model.objective
    assert objective is not None
    verbs: dict[bool, list[Any]] = {True: [], False: []}
    verbs[objective.fills].append(lambda: model.fill("the [MASK] barks"))
    generates = objective.continues and model.backbone.continues_texts
    verbs[generates and not objective.needs_source].append(
        lambda: model.generate("the dog", max_new_tokens=4)
    )
    verbs[generates and objective.continues_sources].append(
        lambda: model.generate(source="the dog", max_new_tokens=4)
    )
    verbs[objective.scores_text].append(lambda: model.perplexity("the dog barks in the morning ."))
    for verb in verbs[True]:
        assert verb()
    for verb in verbs[False]:
        with pytest.raises(SettingError):
            verb()


def test_it_shows_what_it_makes_of_a_text(model: ft.LanguageModel) -> None:
    """Each token is there; a row of attention that is drawn as a whole sums to 1."""
    shown = check_shown(model, ["the dog barks"])
    assert model.objective is not None
    assert len(parts_of(shown, "tokens")) == 1
    if model.backbone.has_attention:
        for grids in parts_of(shown, "grids"):
            sums = np.array(grids["values"]).sum(-1)
            np.testing.assert_allclose(sums, 1, atol=0.01)
    pair = check_shown(model, ["the dog barks\tevery cat purrs"])
    assert pair[0].title == "the dog barks every cat purrs"


def test_it_is_measured_on_a_text(model: ft.LanguageModel, animal_text: Path) -> None:
    (result,) = evaluate_language_model(model, [animal_text])
    numbers = [value for value in result.as_dict().values() if isinstance(value, float)]
    assert numbers
    assert np.isfinite(numbers).all()


@pytest.mark.parametrize("pair", quick_if(LAWFUL, BACKBONES), indirect=True)
def test_a_resumed_run_ends_in_the_same_bits(
    pair: Pair,
    run: RunFolder,
    animal_text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Training, "_step", stopping_at(5))
    with pytest.raises(Interrupted):
        run_recipe(small_recipe(pair), animal_text, tmp_path / "run")
    monkeypatch.undo()
    run_recipe(small_recipe(pair), animal_text, tmp_path / "run", resume=True)
    resumed, whole = ft.load(tmp_path / "run"), ft.load(run.path)
    assert np.array_equal(resumed.embed(TEXTS), whole.embed(TEXTS))


@pytest.mark.parametrize("setting", ["short_row_rate", "stacking_rate"])
@pytest.mark.parametrize("pair", quick_if(LAWFUL, OBJECTIVES), indirect=True)
def test_it_begins_small_or_refuses_to(
    pair: Pair, setting: str, animal_text: Path, tmp_path: Path
) -> None:
    recipe = small_recipe(pair, f"training.{setting}=0.5")
    model = check_model(small_recipe(pair))
    can = {
        "short_row_rate": model.objective.cuts_rows,
        "stacking_rate": model.backbone.stacks_layers,
    }
    if can[setting]:
        run_recipe(recipe, animal_text, tmp_path / "run")
        losses = valid_losses(RunFolder(tmp_path / "run"))
        assert losses[-1] < losses[0]
    else:
        with pytest.raises(SettingError, match=setting):
            run_recipe(recipe, tmp_path / "no such file", tmp_path / "run")


@pytest.mark.parametrize("pair", quick_if(QUICK, QUICK[:3]), indirect=True)
def test_it_is_planned(pair: Pair, animal_text: Path, tmp_path: Path) -> None:
    recipe = small_recipe(pair)
    plan = plan_network(recipe, Corpus(animal_text), 60.0)
    planned = plan.applied(recipe).with_budget(0.3)
    model = run_recipe(planned, animal_text, tmp_path / "run").model
    assert model.embed(TEXTS).shape[0] == len(TEXTS)


@pytest.mark.parametrize("pair", quick_if(LAWFUL, OBJECTIVES), indirect=True)
def test_it_sees_no_answer(pair: Pair, tmp_path: Path) -> None:
    """On random letters no loss is far below the entropy of a letter."""
    text = tmp_path / "random.txt"
    text.write_text(random_letters(), encoding="utf-8")
    settings: tuple[str, ...] = (
        "training.steps=60",
        "training.valid_steps=60",
        "training.learning_rate=0.01",
        "data.valid_rate=0.2",
        "tokenizer.vocab_size=320",
    )
    if small_recipe(pair).parts["tokenizer"].name == "unigram":  # each blank would be a token
        settings += ("tokenizer.name=wordpiece",)
    run_recipe(small_recipe(pair, *settings), text, tmp_path / "run")
    part = GUESSED.get(pair.objective, "loss")
    losses = valid_losses(RunFolder(tmp_path / "run"), f"valid_{part}")
    assert losses[-1] > SHARE * np.log(NUM_LETTERS)


def random_letters() -> str:
    """Documents that end after each letter with the same probability."""
    rng = np.random.default_rng(0)
    letters = rng.choice(list(string.ascii_lowercase), 8_000)
    ends = rng.random(8_000) < 1 / 12
    return "".join(
        letter + ("\n" if end else " ") for letter, end in zip(letters, ends, strict=True)
    )


def valid_losses(run: RunFolder, figure: str = "valid_loss") -> list[float]:
    """The held-out losses of a run, in order."""
    records = map(json.loads, run.metrics.read_text(encoding="utf-8").splitlines())
    return [float(record[figure]) for record in records if figure in record]
