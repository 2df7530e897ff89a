"""Estimators: settings by name, as editors and scikit-learn need them, and texts from memory."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import foretext as ft
from foretext.base.errors import SettingError
from foretext.recipe import Recipe
from tests.lazy_import import lazy_import

estimator_checks = lazy_import("sklearn.utils.estimator_checks")

SEA, LAND = ["ship", "wave", "tide", "harbour", "sail"], ["field", "barn", "cow", "plough", "hedge"]
SMALL = {"vector_size": 8, "min_count": 1, "workers": 1}
RECIPES = [
    (ft.Word2Vec, ["word2vec"]),
    (ft.GloVe, ["glove"]),
    (ft.FastText, ["fasttext"]),
    (ft.Doc2Vec, ["doc2vec"]),
    (ft.Autoencoder, ["autoencoder", "denoising-autoencoder", "linear-autoencoder"]),
]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(SEA if number % 2 else LAND, 12)) for number in range(120)]


@pytest.fixture(scope="module")
def labels() -> list[int]:
    return [number % 2 for number in range(120)]


@pytest.mark.parametrize(("estimator", "recipes"), RECIPES)
def test_arguments_are_the_settings_of_the_recipes(estimator: Any, recipes: list[str]) -> None:
    """So that neither can change alone."""
    fields: dict[str, list[tuple[Any, Any]]] = {}
    for recipe in map(Recipe.load, recipes):
        for section, part in recipe.parts.items():
            values, hints = recipe.all_settings()[section], typing.get_type_hints(type(part.config))
            for name in type(part.config).model_fields:
                fields.setdefault(name, []).append((values[name], hints[name]))
    arguments = inspect.signature(estimator).parameters
    hints = typing.get_type_hints(estimator.__init__)
    assert set(arguments) - {"kind"} == set(fields)
    for name, found in fields.items():
        defaults = [value for value, _ in found]
        same = len(found) == len(recipes) and all(each == defaults[0] for each in defaults)
        if arguments[name].default is None and (name == "workers" or not same):
            continue  # as the machine, or the kind, has it
        assert same, name
        assert arguments[name].default == defaults[0], name
        assert hints[name] in (found[0][1], found[0][1] | None), name


@pytest.mark.parametrize("estimator", [each for each, _ in RECIPES])
def test_every_default_may_be_written_out(estimator: Any) -> None:
    given = estimator(**estimator.defaults())
    assert given.chosen() == {}
    assert repr(given) == f"{estimator.__name__}()"


def test_settings_under_the_names_of_scikit_learn() -> None:
    estimator = ft.Word2Vec(window=3, epochs=np.int64(2))
    assert repr(estimator) == "Word2Vec(epochs=2, window=3)"
    assert estimator.recipe.vectors.window == 3
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(window=4, loss="hs") is estimator
    assert estimator.recipe.vectors.window == 4
    with pytest.raises(SettingError, match="windw: Word2Vec has no such setting"):
        estimator.set_params(windw=3)
    with pytest.raises(SettingError, match="window"):
        estimator.set_params(window=-1).fit(["a text"] * 9)


def test_vectors_from_texts_are_those_of_the_file(texts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts) + "\n")
    of_file = ft.Word2Vec(documents="line", **SMALL).fit(path).vectors_
    of_list = ft.Word2Vec(**SMALL).fit(texts).vectors_
    of_words = ft.Word2Vec(**SMALL).fit(text.split() for text in texts).vectors_
    assert (of_file.vectors == of_list.vectors).all()
    assert (of_file.vectors == of_words.vectors).all()


def test_words_that_were_cut_are_neither_cut_nor_lower_cased(tmp_path: Path) -> None:
    sentences = [["New-York", "IS", "a", "c.i.t.y"]] * 30
    vectors = ft.Word2Vec(**SMALL).fit(sentences, out=tmp_path / "run").vectors_
    assert set(vectors.index_to_key) == {"New-York", "IS", "a", "c.i.t.y"}
    kept = Recipe.of_run(tmp_path / "run" / "recipe.toml")
    assert (kept.tokenizer.pre_tokenizer, kept.tokenizer.lowercase) == ("whitespace", False)
    again = ft.Word2Vec.from_recipe(tmp_path / "run" / "recipe.toml").fit(sentences).vectors_
    assert (again.vectors == vectors.vectors).all()
    with pytest.raises(SettingError, match="has no effect on lists of words"):
        ft.Word2Vec(pre_tokenizer="unicode_words").fit(sentences)


def test_pipelines_and_searches(texts: list[str], labels: list[int]) -> None:
    pipeline = make_pipeline(ft.FastText(bucket=1000, **SMALL), LogisticRegression())
    assert pipeline.fit(texts, labels).score(texts, labels) == 1.0
    grid = {"fasttext__vector_size": np.array([2, 4]), "fasttext__model": ["cbow"]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(texts, labels)
    assert search.best_score_ > 0.9
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert names[0] == "fasttext0"


def test_transform(texts: list[str]) -> None:
    estimator = ft.Word2Vec(**SMALL)
    with pytest.raises(SettingError, match="call fit first"):
        estimator.transform(texts)
    embedded = estimator.fit_transform(text for text in texts)
    assert embedded.shape == (120, 8)
    check_is_fitted(estimator)
    assert (estimator.transform(np.array(texts)) == embedded).all()
    assert (ft.Word2Vec(**SMALL).fit(texts).transform(texts) == embedded).all()
    with pytest.raises(SettingError, match="name the folder of a run as out='runs/mine'"):
        estimator.fit(texts, "runs/mine")


class Stream:
    """An iterable that is no iterator; `texts` may be read once only, as those of tqdm."""

    def __init__(self, texts: Iterable[str | None]) -> None:
        self.texts, self.num_reads = texts, 0

    def __iter__(self) -> Iterator[str | None]:
        self.num_reads += 1
        return iter(self.texts)


@pytest.mark.parametrize("make", [ft.Word2Vec, ft.Doc2Vec])
def test_what_yields_its_texts_is_read_once(make: Any, texts: list[str]) -> None:
    expected = make(**SMALL, epochs=1).fit_transform(texts)
    for given in (texts, iter(texts)):
        stream = Stream(given)
        found = make(**SMALL, epochs=1).fit_transform(stream)
        np.testing.assert_array_equal(found, expected)
        assert stream.num_reads == 1
    with pytest.raises(ValueError, match="text 2 is None"):
        make(**SMALL).fit(Stream(iter(["a ship", None, "a wave"])))


def test_phrases_read_once_what_yields_its_texts(texts: list[str]) -> None:
    stream = Stream(iter(texts))
    found = ft.Phrases(min_count=1).fit_transform(stream)
    assert [*found] == [*ft.Phrases(min_count=1).fit_transform(texts)]
    assert stream.num_reads == 1


def test_partial_fit_goes_on_with_new_words(texts: list[str]) -> None:
    estimator = ft.Word2Vec(**SMALL)
    first = estimator.fit(texts).vectors_
    second = estimator.partial_fit(["the zeppelin over the harbour"] * 20).vectors_
    assert "zeppelin" in second
    assert "zeppelin" not in first
    assert set(first.index_to_key) < set(second.index_to_key)
    assert second["cow"] @ first["cow"] > 0.9 * first["cow"] @ first["cow"]  # not met again
    third = estimator.partial_fit(["the zeppelin over the volcano"] * 20).vectors_
    assert estimator.vectors_ is third
    assert "volcano" in third


def test_a_recipe_of_something_else_is_refused(tmp_path: Path) -> None:
    Recipe.load("glove").save(tmp_path / "glove.toml")
    assert ft.GloVe.from_recipe(tmp_path / "glove.toml").chosen().keys() <= {"workers"}
    with pytest.raises(SettingError, match="is a recipe of glove, not of word2vec"):
        ft.Word2Vec.from_recipe(tmp_path / "glove.toml")


def test_signatures_are_what_editors_show() -> None:
    arguments = inspect.signature(ft.Word2Vec).parameters
    assert arguments["window"].default == 5
    assert all(each.kind is each.KEYWORD_ONLY for each in arguments.values())


CHECKS = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_valid_tag_types",
]


@pytest.mark.parametrize("estimator", [each for each, _ in RECIPES])
@pytest.mark.parametrize("check", CHECKS)
def test_checks_of_scikit_learn_for_settings(estimator: Any, check: str) -> None:
    """Those for arrays of numbers do not suit texts, and word vectors are what `fit` returns."""
    getattr(estimator_checks, check)(estimator.__name__, estimator())
