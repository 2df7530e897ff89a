"""Settings in Python: a dict of sections, or a list of what stands behind ``--set``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import ArgumentError, SettingError
from foretext.recipe import Recipe
from foretext.recipe.recipe import (
    given_by_candidate,
    given_sections,
    given_values,
    is_recipe_name,
    names_recipe,
)
from foretext.vectors.word_vectors import WordVectors

TEXTS = ["the old ship left the harbour at noon", "the king saw the old ship in the harbour"] * 20
ROWS = [(text, label) for text in TEXTS[:2] * 8 for label in [text.split()[1]]]


def test_a_list_is_a_dict_of_sections() -> None:
    given = ["training.epochs=3", 'rows.text="body"', "training.seed = 1", "rows.label=kind"]
    wanted: dict[str, dict[str, Any]] = {
        "training": {"epochs": 3, "seed": 1},
        "rows": {"text": "body", "label": "kind"},
    }
    assert given_sections(given) == given_sections(wanted) == wanted
    assert given_sections(None) == given_sections([]) == {}
    assert given_values(["length=100", "index.dtype=float16"], "index") == {
        "length": 100,
        "dtype": "float16",
    }
    assert given_by_candidate(["bert:training.seed=2"]) == {"bert": {"training": {"seed": 2}}}


@pytest.mark.parametrize(
    ("read", "given", "message"),
    [
        (given_sections, ["epochs=3"], "settings: epochs=3: write it as section.setting=value"),
        (given_sections, {"epochs": 3}, r"give a dict of sections, .* or a list, such as \['train"),
        (given_sections, "training.epochs=3", r"give a dict of sections"),
        (given_by_candidate, ["rows.text=1"], "such as 'modern-bert:rows.text=1'"),
        (given_by_candidate, [3], "give a dict of candidates"),
    ],
)
def test_other_forms_are_refused(read: Any, given: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        read(given)


def test_pretrain_takes_settings_of_either_form() -> None:
    chosen = ["vectors.vector_size=7", "tokenizer.min_count=1", "vectors.epochs=1"]
    vectors = ft.pretrain("word2vec", TEXTS, settings=chosen, quiet=True)
    assert isinstance(vectors, WordVectors)
    assert vectors.vector_size == 7
    same = {"vectors": {"vector_size": 7}}
    assert Recipe.load("word2vec", same).sections()["vectors"]["vector_size"] == 7
    with pytest.raises(SettingError, match=r"a Recipe object takes no settings"):
        ft.pretrain(Recipe.load("word2vec"), TEXTS, settings=chosen)


def test_finetune_takes_a_list(tmp_path: Path) -> None:
    model = ft.finetune("classification", "linear", ROWS, settings=["linear.seed=3"], quiet=True)
    assert model.predict("the king saw the old ship") == "king"
    with pytest.raises(SettingError, match="seeds"):
        ft.finetune("classification", "linear", ROWS, settings=["linear.seeds=3"], quiet=True)


@pytest.mark.slow
def test_a_budget_of_fit_ends_the_training() -> None:
    estimator = ft.Word2Vec(min_count=1, vector_size=8)
    assert len(estimator.fit(TEXTS, budget="3s", quiet=True).vectors_) > 3
    with pytest.raises(SettingError, match="budget"):
        estimator.fit(TEXTS, budget="three", quiet=True)


def test_arguments_of_others_say_where_they_go() -> None:
    classifier = ft.FastTextClassifier()
    with pytest.raises(ArgumentError, match=r"^budget: .* an argument of foretext.finetune"):
        classifier.fit(["a", "b"], ["x", "y"], budget="30s")  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"^settings: .*finetune, pretrain"):
        ft.Word2Vec().fit(TEXTS, settings=["vectors.epochs=1"])  # type: ignore[call-arg]


def test_a_name_of_a_recipe_is_none_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("bert", "bert-mini", "run"):
        (tmp_path / name).mkdir()
    assert [is_recipe_name(name) for name in ("bert", "bert-mini", "own.toml")] == [True] * 3
    assert not any(is_recipe_name(name) for name in ("run", "run-mini", "./bert", "./bert-mini"))
    assert names_recipe("bert-mini")
    assert names_recipe("missing")  # the error says which recipes there are
    assert not names_recipe("run")
    assert not names_recipe("./bert-mini")
