from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from foretext.serving.errors import BadRequest
from foretext.serving.routes.openai.inputs import Inputs, as_items

CHECK = TypeAdapter[Any](Inputs)


@pytest.mark.parametrize(
    ("inputs", "items"),
    [
        ("a", ["a"]),
        (["a", ""], ["a", ""]),
        ([0, 7], [(0, 7)]),
        ([[1, 2], [3]], [(1, 2), (3,)]),
        ([[]], [()]),
    ],
)
def test_the_four_forms(inputs: Any, items: list[Any]) -> None:
    assert as_items(CHECK.validate_python(inputs), "prompt") == items


@pytest.mark.parametrize(
    "wrong", [3, None, {}, ["a", 1], [1, "a"], [[1], 2], [True], [1.0], [["a"]]]
)
def test_other_forms_are_refused_in_one_sentence(wrong: Any) -> None:
    with pytest.raises(ValidationError) as raised:
        CHECK.validate_python(wrong)
    (error,) = raised.value.errors()
    assert error["msg"].startswith("it should be a text, a list of texts, a list of ids, or")


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(BadRequest, match="prompt is an empty list"):
        as_items(CHECK.validate_python([]), "prompt")
