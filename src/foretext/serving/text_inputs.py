"""Texts of a request as a model reads them: ids decoded, and prompts put before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.requests import Request

from foretext.serving.abilities.decode import DecodeOptions
from foretext.serving.errors import CannotServe
from foretext.serving.fitting import Texts
from foretext.serving.service import Service

__all__ = ["decoded_texts", "prompted"]

Ids = list[int]


async def decoded_texts(
    inputs: str | Ids | Sequence[str | Ids], request: Request, model: str | None, ability: str
) -> list[str]:
    """Return texts as they are, and rows of ids as the text that they stand for.

    Raises:
        ForetextError: the model has no ids, or no such id.
    """
    if isinstance(inputs, str):
        return [inputs]
    if inputs and isinstance(inputs[0], int):
        inputs = [[index for index in inputs if isinstance(index, int)]]
    rows = [tuple(each) for each in inputs if isinstance(each, list)]
    if not rows:
        return [str(text) for text in inputs]
    service = Service.of(request)
    found = service.models.find(model, ability)
    answered = await service.answer(request, "decode", rows, DecodeOptions(), model=found.name)
    texts = iter(answered.answers)
    return [each if isinstance(each, str) else next(texts) for each in inputs]


def prompted(
    texts: Sequence[str], name: str | None, request: Request, model: str | None, ability: str
) -> list[Texts]:
    """Return each text as an input, with one of the model's prompts before it.

    Raises:
        CannotServe: the model has no prompt of this name.
    """
    if name is None:
        return [(text,) for text in texts]
    prompts: Mapping[str, str] = Service.of(request).models.find(model, ability).model.prompts
    if name not in prompts:
        there = f"there are: {', '.join(prompts)}" if prompts else "it has none"
        raise CannotServe(f"prompt_name = '{name}': the model has no such prompt; {there}.")
    return [(prompts[name] + text,) for text in texts]
