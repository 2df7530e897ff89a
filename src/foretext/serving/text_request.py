"""How a route that takes texts asks a model, and what it says of that in headers."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import orjson
from starlette.requests import Request
from starlette.responses import Response

from foretext.serving.abilities.decode import DecodeOptions
from foretext.serving.errors import BadRequest, Broken, CannotServe
from foretext.serving.fitting import Cutting, Fitted, Texts, fit
from foretext.serving.service import Service, Trace

__all__ = [
    "Answered",
    "ask",
    "decoded_texts",
    "json_reply",
    "prompted",
    "single_texts",
    "vectors_reply",
]

Ids = list[int]


class Answered(NamedTuple):
    """What a model answered, and the headers of the answer."""

    answers: list[Any]  # in the order of the inputs
    headers: dict[str, str]
    model: str  # its name


async def ask(
    request: Request,
    ability: str,
    inputs: Sequence[Texts],
    options: Hashable,
    *,
    model: str | None,
    cutting: Cutting,
    as_items: Callable[[list[Texts]], list[Any]] = list,
) -> Answered:
    """Ask a model about some inputs, after those that are too long are cut or refused.

    Args:
        request: that wants to know.
        ability: of the model.
        inputs: the texts of each.
        options: of the ability.
        model: its name; None: the first one that has the ability.
        cutting: what becomes of inputs that are too long.
        as_items: makes items of the ability of all inputs.

    Raises:
        BadRequest: there is no input.
        ForetextError: the model cannot answer.
    """
    if not inputs:
        raise BadRequest("The list of inputs is empty; give one text at least.")
    service, began = Service.of(request), time.perf_counter()
    found = service.models.find(model, ability)
    found.ability(ability)  # refuses before anything is counted
    fitted = await fit(found.model, inputs, cutting)
    tokenization_ms = (time.perf_counter() - began) * 1000
    items = as_items(fitted.inputs)
    answered = await service.answer(
        request, ability, items, options, model=found.name, costs=_costs(fitted, items)
    )
    counted = fitted.num_tokens
    num_tokens = answered.tokens if counted is None else sum(counted)
    headers = {
        "x-compute-characters": str(sum(len(text) for texts in inputs for text in texts)),
        "x-compute-tokens": str(num_tokens),
        "x-tokenization-time": str(round(tokenization_ms)),
        "x-queue-time": str(round(answered.queue_ms)),
        "x-inference-time": str(round(answered.inference_ms)),
        "x-total-time": str(round(Trace.of(request.scope).seconds * 1000)),
    }
    if fitted.warning is not None:
        headers["x-warning"] = fitted.warning
    return Answered(answered.answers, headers, found.name)


def _costs(fitted: Fitted, items: Sequence[Any]) -> list[int] | None:
    """Return the tokens of each item; None: they are not known, or an item is no single input."""
    return fitted.num_tokens if len(items) == len(fitted.inputs) else None


def single_texts(inputs: Sequence[Texts]) -> list[str]:
    """Return the texts of inputs that have one each."""
    return [text for (text,) in inputs]


def json_reply(content: Any, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """Return an answer as JSON, with arrays as lists; a float32 has the digits that it needs."""
    body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, media_type="application/json", headers=dict(headers))


def vectors_reply(answered: Answered) -> Response:
    """Return vectors (D,), or matrices (T, D), as lists of numbers.

    Raises:
        Broken: one is not finite; no JSON has such numbers.
    """
    if not all(np.isfinite(found).all() for found in answered.answers):
        raise Broken("The model computed numbers that are not finite; its weights are damaged.")
    return json_reply([np.ascontiguousarray(found) for found in answered.answers], answered.headers)


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
