"""What is prepared is what runs take, and a process that dies on the way changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.corpus import Corpus
from foretext.pretraining import preparation
from foretext.pretraining.planning import plan_network
from foretext.pretraining.preparation import prepare_text
from foretext.pretraining.pretraining import run_recipe
from foretext.pretraining.shared import SharedFolder, shared_parts
from foretext.recipe import Recipe
from foretext.recipe.text_settings import suited
from foretext.run_folder import RunFolder

SMALL = ["backbone.num_layers=1", "backbone.dim=32", "backbone.num_heads=2"]


def recipes() -> list[Recipe]:
    networks = [Recipe.load(name, SMALL) for name in ("bert", "modern-bert", "electra", "gpt")]
    return [Recipe.load("glove", ["tokenizer.min_count=1"]), *networks]


@pytest.mark.slow
def test_runs_take_what_was_prepared(animal_text: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    prepared = prepare_text(recipes(), animal_text, shared)
    kinds = [part.what for part in prepared.parts]
    assert kinds == ["words", *3 * ["tokenizers", "ids"]]
    assert all(part.made for part in prepared.parts)
    assert (prepared.text_bytes, prepared.text_rate) == (None, 1.0)
    for number, recipe in enumerate(recipes()):
        folder, out = SharedFolder(shared), tmp_path / str(number)
        if "objective" in recipe.parts:
            fitting = suited(recipe, Corpus(animal_text, recipe.corpus))
            plan = plan_network(fitting.recipe, fitting.text, 600.0, shared=folder, is_fixed=True)
            planned = plan.applied(recipe).with_settings("training", budget_seconds=None, steps=1)
            recipe = Recipe.from_sections(planned.sections())  # its length is chosen: no plan
            assert [part.made for part in folder.used] == [False, False]
        run_recipe(recipe, animal_text, out, shared=shared)
        assert not any(part.made for part in shared_parts(RunFolder(out)))


def test_a_text_that_takes_too_long_is_cut_for_all(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = animal_text.stat().st_size // 2
    monkeypatch.setattr(preparation, "_affordable", lambda recipes, corpus, seconds: half)
    shared = tmp_path / "shared"
    prepared = prepare_text(recipes(), animal_text, shared, seconds=1.0)
    assert prepared.text_bytes == half
    assert prepared.text_rate == pytest.approx(0.5, abs=0.01)
    run_recipe(recipes()[0], animal_text, tmp_path / "run", shared=shared)
    assert [part.made for part in shared_parts(RunFolder(tmp_path / "run"))] == [False]
    metas = [json.loads(path.read_text()) for path in shared.rglob("meta.json")]
    assert len({meta["num_documents"] for meta in metas}) == 1


def test_after_a_kill_it_goes_on_with_as_much_text(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, half = tmp_path / "shared", animal_text.stat().st_size // 2
    monkeypatch.setattr(preparation, "_affordable", lambda recipes, corpus, seconds: half)
    before = prepare_text(recipes()[:2], animal_text, shared, seconds=1.0)
    monkeypatch.setattr(preparation, "_affordable", lambda *_: pytest.fail("that is decided"))
    after = prepare_text(recipes(), animal_text, shared, seconds=1.0)
    assert after.text_bytes == before.text_bytes
    made = [part.made for part in after.parts]
    assert made == [False, False, False, True, True, True, True]


def test_what_was_decided_is_checked(animal_text: Path, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text('{"text_bytes": -1}')
    with pytest.raises(OutputError, match=r"text\.json is damaged"):
        prepare_text(recipes(), animal_text, tmp_path)


def test_a_recipe_that_cannot_learn_is_left_to_its_run(animal_text: Path, tmp_path: Path) -> None:
    rare = Recipe.load("glove", ["tokenizer.min_count=1000000"])
    prepared = prepare_text([rare, *recipes()[:1]], animal_text, tmp_path / "shared")
    assert [part.what for part in prepared.parts] == ["words"]
    with pytest.raises(CorpusError, match="lower min_count"):
        run_recipe(rare, animal_text, tmp_path / "run", shared=tmp_path / "shared")
