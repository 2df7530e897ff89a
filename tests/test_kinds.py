"""The table of kinds: every row leads to code, and recipes, runs and options to a row."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from pathlib import Path

import pytest

from foretext.artifact import kind_named, kind_of_run, load
from foretext.base.errors import ModelFileError, VectorFileError
from foretext.cli.embed import embed
from foretext.cli.evaluate import evaluate
from foretext.kinds import KINDS, TASK, Kind, kinds_of_recipes
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder

ALL = [*KINDS.values(), TASK]
CODE = ("load", "evaluate", "embedder", "page", "card", "sections", "learner")


def name_of(kind: Kind) -> str:
    return kind.name


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_every_name_of_a_row_leads_to_code(kind: Kind) -> None:
    known = {field.name for field in fields(kind)}
    for part in CODE:
        assert part in known
        if vars(kind)[part] is not None:
            assert kind.code(part) is not None


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_its_options_are_options_of_the_verbs(kind: Kind) -> None:
    of_evaluate = {*inspect.signature(evaluate).parameters, "set"}
    assert {*kind.evaluate_options} <= of_evaluate
    assert {*kind.embed_options} <= {*inspect.signature(embed).parameters}


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_of_a_kind_that_learns(name: str) -> None:
    recipe = Recipe.load(name)
    assert recipe.kind in kinds_of_recipes()
    assert recipe.kind.section in recipe.parts
    assert {*recipe.parts} == {*recipe.kind.code("sections")}


def test_kinds_are_told_apart_by_what_learns() -> None:
    kinds = {name: Recipe.load(name).kind.name for name in ("glove", "doc2vec", "xlnet")}
    assert kinds == {
        "glove": "word vectors",
        "doc2vec": "document vectors",
        "xlnet": "language model",
    }


def folder_of(path: Path, kind: str) -> Path:
    path.mkdir()
    (path / "recipe.toml").write_text("")
    (path / "config.json").write_text(json.dumps({"foretext": "9.0", "kind": kind}))
    return path


@pytest.mark.parametrize("kind", ["crystal ball", "word vector"])
def test_a_kind_of_another_version_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", kind)
    sentence = f"config.json names the kind '{kind}', which this version of foretext does not know"
    with pytest.raises(ModelFileError, match=sentence):
        load(folder)
    with pytest.raises(ModelFileError, match=sentence):
        write_report(RunFolder(folder))


def test_a_kind_from_outside_is_a_task() -> None:
    assert kind_named("my_package:Regression", Path("config.json")) is TASK
    assert kind_named("tagging", Path("config.json")) is TASK


def test_what_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="holds no run of foretext"):
        kind_of_run(tmp_path)
