"""Texts and ids of a request, in the four forms that OpenAI's clients send."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import StrictInt, StrictStr, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from foretext.serving.errors import BadRequest

__all__ = ["Inputs", "Item", "as_items"]

Item = str | tuple[int, ...]  # a text, or the ids of its tokens


def _one_sentence(value: Any, check: Any) -> Any:
    """Say in one sentence what is wrong, instead of once for each of the forms."""
    try:
        return check(value)
    except ValidationError:
        raise PydanticCustomError(
            "inputs", "it should be a text, a list of texts, a list of ids, or a list of such lists"
        ) from None


Inputs = Annotated[
    StrictStr | list[StrictStr] | list[StrictInt] | list[list[StrictInt]],
    WrapValidator(_one_sentence),
]


def as_items(inputs: str | list[str] | list[int] | list[list[int]], name: str) -> list[Item]:
    """Return each input of a request; `name` is that of its field.

    Raises:
        BadRequest: there is none.
    """
    if isinstance(inputs, str):
        return [inputs]
    if not inputs:
        raise BadRequest(f"{name} is an empty list; give one text at least.")
    if isinstance(inputs[0], int):
        return [tuple(inputs)]
    return [each if isinstance(each, str) else tuple(each) for each in inputs]
