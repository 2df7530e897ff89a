"""What `explain` takes and refuses."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.base.errors import SettingError
from tests.tasks.explanation.bag import Bag


def test_one_input_gives_one_explanation_and_a_list_a_list() -> None:
    model = Bag()
    assert model.explain("good") == model.explain(("good",)) == model.explain(["good"])[0]
    assert model.explain([]) == []


@pytest.mark.parametrize("inputs", [("a", "b"), [("a", "b")]])
def test_inputs_of_another_number_of_texts_are_refused(inputs: Any) -> None:
    with pytest.raises(SettingError, match="'text'; one of these has 2 texts"):
        Bag().explain(inputs)


def test_the_input_that_is_of_another_kind_is_named() -> None:
    with pytest.raises(SettingError, match=r"inputs\[1\] = \('b', 'c'\): give a text"):
        Bag().explain(["a", ("b", "c")])  # type: ignore[list-item]


def test_a_method_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(SettingError, match=r"'gradient': .* can be explained by occlusion"):
        Bag().explain("good", method="gradient")


def test_other_answers_are_refused() -> None:
    class Other(Bag):
        explained_by = ()

    with pytest.raises(SettingError, match="Bag of words cannot be explained by words"):
        Other().explain("good")
