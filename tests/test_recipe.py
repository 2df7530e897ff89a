"""Recipes: sections checked by their classes, and a resolved recipe that can be read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.errors import SettingError
from foretext.recipe import Recipe, recipe_names


@pytest.mark.parametrize("name", recipe_names())
@pytest.mark.parametrize("settings", [{}, {"budget_seconds": 5.0}, {"valid_rate": 0.1, "seed": 3}])
def test_a_resolved_recipe_is_read_again(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    recipe = Recipe.from_settings(name, settings)
    recipe.save(tmp_path / "recipe.toml")
    assert Recipe.load(tmp_path / "recipe.toml").sections() == recipe.sections()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("word2vec", {"loss": "hs"}),
        ("word2vec", {"exact": True}),
        ("word2vec", {"model": "cbow", "loss": "softmax"}),
        ("fasttext", {"loss": "hs"}),
        ("fasttext", {"maxn": 0}),
    ],
)
def test_defaults_without_effect_do_no_harm(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    recipe = Recipe.from_settings(name, settings)
    recipe.save(tmp_path / "recipe.toml")
    assert Recipe.load(tmp_path / "recipe.toml").sections() == recipe.sections()


def test_settings_find_their_sections() -> None:
    recipe = Recipe.from_settings("word2vec", {"window": 3, "min_count": 2, "column": "body"})
    assert recipe.sections()["vectors"]["window"] == 3
    assert recipe.sections()["tokenizer"]["min_count"] == 2
    assert recipe.sections()["corpus"]["column"] == "body"


def test_budget_takes_the_place_of_epochs() -> None:
    recipe = Recipe.load("word2vec", ["vectors.epochs=9"]).with_budget(60.0)
    assert recipe.sections()["vectors"]["budget_seconds"] == 60.0
    assert recipe.sections()["vectors"]["epochs"] == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[vectors]\nname = 'word2vek'", "Did you mean 'word2vec'"),
        ("[vectors]\nwindow = 3", "say which one: word2vec"),
        ("window = 3", "outside of a section"),
        ("[vectors\n", "is not TOML"),
        ("[vectors]\nname = 'word2vec'\nwindow = '3'", "window = '3'"),
        ("[vectors]\nname = 'no.such:Class'", "cannot be imported"),
        (
            "[vectors]\nname = 'word2vec'\n[tokenizer]\npre_tokenizer = 'blank'",
            "[tokenizer] pre_tokenizer = 'blank': should be 'auto', or 'whitespace', 'basic_eng",
        ),
    ],
)
def test_wrong_recipes_are_told(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SettingError) as caught:
        Recipe.load(path)
    assert sentence in str(caught.value)
