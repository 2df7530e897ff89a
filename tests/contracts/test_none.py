"""`none` is None for every setting that may be None: on the command line, in TOML, in Python."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import tomli_w

from foretext.base.config import NONE, Config
from foretext.base.errors import SettingError
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from tests.contracts.test_settings import CONFIGS

# Their choices have the word none, so that it is one of them; what is left out is None.
CHOICES = {"transform", "form"}
# Other settings of the recipe that mean nothing without them.
NEEDED = {"ernie.objective.units": ["objective.whole_words=true"]}


def may_be_none(config: type[Config]) -> list[str]:
    return [name for name in config.model_fields if config.allows(name, None)]


SETTINGS = [(config, name) for config in CONFIGS for name in may_be_none(config)]


@pytest.mark.parametrize(
    ("config", "name"), SETTINGS, ids=[f"{c.__module__}.{c.__qualname__}.{n}" for c, n in SETTINGS]
)
def test_none_arrives_and_is_kept(config: type[Config], name: str) -> None:
    """As a value of its class, and in the file of settings that a run keeps."""
    if name in CHOICES:
        assert not config.reads_none(name)
        return
    found = config.checked({name: NONE}, "section")
    assert getattr(found, name) is None
    kept = tomli_w.dumps(found.kept(mode="json", include={name}))
    again = config.checked(tomllib.loads(kept), "section")
    assert getattr(again, name) is None


@pytest.mark.parametrize("recipe", recipe_names())
def test_none_on_the_command_line_of_every_recipe(recipe: str) -> None:
    for section, part in Recipe.load(recipe).parts.items():
        config = type(part.config)
        for name in config.model_fields:
            given = [f"{section}.{name}=none", *NEEDED.get(f"{recipe}.{section}.{name}", [])]
            if name not in CHOICES and config.allows(name, None):
                assert Recipe.load(recipe, given).all_settings()[section][name] is None, name
            elif not config.allows(name, NONE):
                with pytest.raises(SettingError, match=rf"\[{section}\] {name}.* = 'none': "):
                    Recipe.load(recipe, given)


@pytest.mark.parametrize("written", ["'none'", '"none"'])
def test_none_in_a_file(tmp_path: Path, written: str) -> None:
    """TOML has no null: the word stands for it."""
    path = tmp_path / "recipe.toml"
    path.write_text(
        f"[autoencoder]\nname = 'convolutional'\ndim = {written}\n[training]\nclip_norm = {written}"
    )
    found = Recipe.load(path).all_settings()
    assert found["autoencoder"]["dim"] is None
    assert found["training"]["clip_norm"] is None


class Sail(Config):
    reefs: int | None = 3
    """Rows of reefs."""
    colour: str | None = "white"
    """Colour of the cloth."""
    mast: float = 2.0
    """Metres."""


def test_sentences_say_what_may_be_none() -> None:
    with pytest.raises(SettingError, match=r"reefs = 'many': .* integer, or none\."):
        Sail.checked({"reefs": "many"}, "sail")
    for value in (None, "none"):
        with pytest.raises(SettingError, match=r"mast = .*number; it cannot be none\."):
            Sail.checked({"mast": value}, "sail")
    assert Sail.checked({"colour": "none"}, "sail").colour is None


def test_a_text_that_a_file_would_keep_as_none_is_refused() -> None:
    with pytest.raises(ValueError, match="colour = 'none' means that there is no colour"):
        Sail(colour="none")


def test_many_were_looked_at() -> None:
    assert len(SETTINGS) > 100
    assert {name for _, name in SETTINGS} >= {"dim", "clip_norm", "entities", "label", "names"}
