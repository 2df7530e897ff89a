"""Whatever people give to what they call, they get an answer or a sentence."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ArgumentError, ForetextError
from tests.contracts.wrong_arguments import (
    OBJECTS,
    ONCE_A_WORD,
    faults_of,
    made,
    methods_of,
    unnamed_by,
)

FUNCTIONS = [
    name
    for name in ft.__all__
    # What trains on the good arguments beside a wrong one has its first argument tested below.
    if name not in ("__version__", "ForetextError", "compare", "distill", "pretrain")
]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("objects"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write into, with a folder that is taken and must not be overwritten."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OBJECTS)
def test_methods_answer_or_say_what_they_take(name: str, objects: dict[str, Any]) -> None:
    methods = methods_of(objects[name])
    assert methods
    faults = [f"{each}: {fault}" for each in methods for fault in faults_of(methods[each])]
    assert faults == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_classes_answer_or_say_what_they_take(name: str) -> None:
    assert faults_of(getattr(ft, name)) == []


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_refuse_a_name_that_they_do_not_have(name: str, objects: dict[str, Any]) -> None:
    methods = methods_of(objects[name])
    named = [each for each in methods if each not in ONCE_A_WORD and not each.startswith("_")]
    assert [each for each in named if unnamed_by(methods[each])] == []


def test_functions_and_classes_refuse_a_name_that_they_do_not_have() -> None:
    others = ("__version__", "ForetextError", "Recipe")  # `Recipe.load` is what people call
    public = [name for name in ft.__all__ if name not in others]
    assert [name for name in public if unnamed_by(getattr(ft, name))] == []


@pytest.mark.parametrize("wrong", [None, 3, 1.5, ["a", None], b"text", np.zeros(2)])
@pytest.mark.parametrize("name", ["compare", "distill", "pretrain"])
def test_trainings_refuse_what_is_no_name(name: str, wrong: Any, tmp_path: Path) -> None:
    function = getattr(ft, name)
    required = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    given = {each.name: wrong for each in required}
    with pytest.raises(ForetextError):
        function(**given)


@pytest.mark.parametrize("topn", [1.5, "3", True, [2]])
def test_numbers_of_answers_are_whole(topn: Any, objects: dict[str, Any]) -> None:
    for call in (
        lambda: objects["masked model"].fill("the [MASK] purrs", topn=topn),
        lambda: objects["causal model"].generate("the", topn=topn),
        lambda: objects["document vectors"].most_similar("cat", topn=topn),
    ):
        with pytest.raises(ArgumentError, match=r"topn = .*: give a whole number"):
            call()


def test_numbers_of_numpy_are_numbers(objects: dict[str, Any]) -> None:
    (answers,) = objects["masked model"].fill("the [MASK] purrs", topn=np.int64(2))
    assert len(answers) == 2
    assert objects["causal model"].generate("the", np.int32(2), np.float32(0.0))
