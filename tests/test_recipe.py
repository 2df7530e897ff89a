"""Recipes: sections checked by their classes, and a resolved recipe that can be read again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base import registry
from foretext.base.errors import ModelFileError, SettingError, UntrustedError
from foretext.recipe import Recipe, corpus_of_run
from foretext.recipes import recipe_names


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
        ("[vectors]\nname = 3", "[vectors] name = 3: say which one: word2vec"),
        ("[vectors]\nname = ['word2vec']", "say which one: word2vec"),
        ("", "[vectors] name: say which one"),
        ("a = " + "[" * 5000, "nested too deeply"),
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


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module whose import leaves a file; nobody trusts it."""
    (tmp_path / "evil.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
        "from foretext.vectors.word2vec import Word2Vec as X\nY = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_trusted", set())
    monkeypatch.delitem(sys.modules, "evil", raising=False)
    return tmp_path


HOSTILE = "[vectors]\nname = 'evil:X'\n"


def from_recipe(path: Path) -> None:
    """Open a recipe by an estimator, which refuses those of other classes once they are open."""
    with pytest.raises(SettingError, match="is a recipe of evil:X, not of word2vec"):
        ft.Word2Vec.from_recipe(path)


@pytest.mark.parametrize("read", [Recipe.load, Recipe.of_run, from_recipe])
def test_a_file_runs_no_code(module: Path, read: Callable[[Path], object]) -> None:
    (module / "recipe.toml").write_text(HOSTILE)
    with pytest.raises(
        UntrustedError, match=r"recipe\.toml: \[vectors\] is 'evil:X'.*--trust evil"
    ):
        read(module / "recipe.toml")
    assert not (module / "ran").exists()
    registry.trust("evil")
    read(module / "recipe.toml")
    assert (module / "ran").exists()


def test_one_section_of_a_run_needs_no_trust(module: Path) -> None:
    (module / "recipe.toml").write_text(HOSTILE + "[corpus]\ndocuments = 'line'")
    assert corpus_of_run(module / "recipe.toml").documents == "line"
    assert not (module / "ran").exists()


def test_what_the_user_writes_is_trusted_from_then_on(module: Path) -> None:
    (module / "recipe.toml").write_text("[vectors]\nname = 'word2vec'")
    (module / "given.toml").write_text(HOSTILE)
    (module / "hostile.toml").write_text("[vectors]\nname = 'evil:Y'")
    for given in ({"config": module / "given.toml"}, {"overrides": ["vectors.name=evil:X"]}):
        registry._trusted.clear()
        recipe = Recipe.load(module / "recipe.toml", **given)
        recipe.save(module / "kept.toml")
        assert Recipe.of_run(module / "kept.toml").name == "evil:X"
        with pytest.raises(UntrustedError):
            Recipe.of_run(module / "hostile.toml")
    with pytest.raises(SettingError, match=r"'evil:Y': this class has no nested class Config"):
        Recipe.from_sections({"vectors": {"name": "evil:Y"}})
    with pytest.raises(SettingError, match=r"'no\.such:Class' cannot be imported"):
        Recipe.load("word2vec", ["vectors.name=no.such:Class"])
    (module / "picky.py").write_text(
        "from foretext.errors import SettingError\nraise SettingError('Set PICKY=1 first.')\n"
    )
    with pytest.raises(SettingError) as said:
        Recipe.load("word2vec", ["vectors.name=picky:Class"])
    assert str(said.value) == "Set PICKY=1 first."


DAMAGE = {
    "missing": None,
    "empty": b"",
    "truncated": b"[corpus]\nencoding = 'ut",
    "binary": b"\xff\xfe\x00\x01",
    "deep": b"a = " + b"[" * 100_000,
    "a value in no section": b"corpus = 3",
    "a list of sections": b"[[corpus]]\n[[vectors]]",
    "no such section": b"[corpse]\n",
    "a setting of another type": b"[corpus]\nencoding = 3\n[vectors]\nname='word2vec'",
    "a huge number": b"[corpus]\nencoding = " + b"9" * 5000,
    "a component of another table": b"[vectors]\nname = 'transformer'",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_damage_of_a_run_is_one_sentence(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "recipe.toml"
    if (content := DAMAGE[damage]) is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"recipe\.toml"):
        Recipe.of_run(path)
    with suppress(ModelFileError):  # what other sections are does not matter
        corpus_of_run(path)


@pytest.mark.parametrize("value", ["[" * 5000, "9" * 5000, "{" * 5000])
def test_odd_overrides_are_refused(value: str) -> None:
    with pytest.raises(SettingError, match=r"vectors"):
        Recipe.load("word2vec", [f"vectors.window={value}"])


def test_another_component_drops_what_only_the_recipe_had_set() -> None:
    recipe = Recipe.load("gpt", ["backbone.name=recurrent", "backbone.dim=7"])
    assert recipe.parts["backbone"].settings(given=True) == {
        "name": "recurrent",
        "num_segments": 0,  # which it has, too
        "dim": 7,
    }
    sized = Recipe.load("gpt-mini", ["backbone.name=recurrent"])
    given = sized.parts["backbone"].settings(given=True)
    assert given == {"name": "recurrent", "num_segments": 0, "num_layers": 4, "dim": 256}
    values = Recipe.load("modern-bert", ["backbone.name=xlnet"])  # which has no gated parts
    assert values.parts["backbone"].settings()["activation"] == "gelu"
    with pytest.raises(SettingError, match=r"\[backbone\] num_heads: there is no such setting"):
        Recipe.load("gpt", ["backbone.name=recurrent", "backbone.num_heads=2"])


@pytest.mark.parametrize(
    ("recipe", "setting"),
    [
        ("bert", "training.clip_norm"),
        ("bert", "tokenizer.limit_alphabet"),
        ("bert", "training.patience"),
        ("gpt", "backbone.feed_forward_dim"),
        ("t5", "tokenizer.limit_alphabet"),
        ("word2vec", "vectors.budget_seconds"),
    ],
)
def test_none_is_a_value_wherever_it_is_one(recipe: str, setting: str, tmp_path: Path) -> None:
    """On the command line, in a file, and in the recipe that a run keeps."""
    section, name = setting.split(".")
    chosen = Recipe.load(recipe, [f"{setting}=none"])
    assert chosen.parts[section].settings()[name] is None
    chosen.save(tmp_path / "recipe.toml")
    for again in (Recipe.load(tmp_path / "recipe.toml"), Recipe.of_run(tmp_path / "recipe.toml")):
        assert again.all_settings() == chosen.all_settings()


def test_a_none_from_python_is_kept(tmp_path: Path) -> None:
    chosen = Recipe.from_settings("bert", {"clip_norm": None})
    chosen.save(tmp_path / "recipe.toml")
    assert Recipe.of_run(tmp_path / "recipe.toml").parts["training"].settings()["clip_norm"] is None


@pytest.mark.parametrize(
    "setting", ["training.freeze=none", "training.sharding=none", "training.epochs=none"]
)
def test_none_that_is_a_word_stays_one(setting: str) -> None:
    """It is the name of a choice; where there is neither a choice nor a None, it is refused."""
    if "epochs" in setting:
        with pytest.raises(SettingError, match="epochs = 'none': should be a valid number"):
            Recipe.load("bert", [setting])
        return
    name = setting.partition("=")[0].partition(".")[2]
    assert Recipe.load("bert", [setting]).parts["training"].settings()[name] == "none"
