"""Vectors of texts: ``POST /v1/embeddings``.

Vectors have length 1, as those of OpenAI and of text-embeddings-inference, since their clients
compare them by products. Ids are refused unless the request says whose they are: LangChain sends
those of OpenAI's tokenizer, which are valid ids of most models, of other words.
"""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Header, Request
from numpy.typing import NDArray
from pydantic import Field
from starlette.responses import Response

from foretext.serving.abilities.embed import EmbedOptions
from foretext.serving.body import Body
from foretext.serving.errors import BadRequest, Broken
from foretext.serving.fitting import Cutting
from foretext.serving.routes.openai.inputs import Inputs, Item, as_items
from foretext.serving.service import Service
from foretext.serving.text_request import ask, decoded_texts, json_reply, single_texts

__all__ = ["router"]

router = APIRouter()


class EmbeddingsBody(Body):
    """Texts, and how their vectors are wanted."""

    input: Inputs
    """A text, or several; ids of tokens need `token_ids_of`."""

    encoding_format: Literal["float", "base64"] | None = None
    """Lists of numbers, as null is too, or base64 of little-endian float32."""

    dimensions: int | None = Field(default=None, ge=1)
    """Numbers of a vector to keep, the first ones; null: all."""

    normalize: bool = True
    """Whether vectors get length 1, as OpenAI's have; not a field of OpenAI."""

    token_ids_of: str | None = None
    """Name of the model whose tokenizer the ids are of; not a field of OpenAI."""

    user: str | None = None
    """Not read."""


@router.post("/embeddings")
async def embeddings(
    body: EmbeddingsBody,
    request: Request,
    x_token_ids_of: Annotated[str | None, Header()] = None,
) -> Response:
    """Return the vector of each text, in the order of the texts."""
    found = Service.of(request).models.find(body.model, "embed")
    items = as_items(body.input, "input")
    if any(not isinstance(item, str) for item in items):
        _check_ids(body.token_ids_of or x_token_ids_of, found.name)
    texts = await decoded_texts([_as_list(item) for item in items], request, found.name, "embed")
    answered = await ask(
        request,
        "embed",
        [(text,) for text in texts],
        EmbedOptions(body.normalize, body.dimensions),
        model=found.name,
        cutting=Cutting(),
        as_items=single_texts,
    )
    num_tokens = int(answered.headers["x-compute-tokens"])
    answer = {
        "object": "list",
        "model": found.name,
        "data": [
            {
                "object": "embedding",
                "index": number,
                "embedding": _written(vector, body.encoding_format),
            }
            for number, vector in enumerate(answered.answers)
        ],
        "usage": {"prompt_tokens": num_tokens, "total_tokens": num_tokens},
    }
    return json_reply(answer, answered.headers)


def _check_ids(named: str | None, model: str) -> None:
    """Refuse ids of an unknown tokenizer.

    Raises:
        BadRequest: the request does not say that they are of the model's.
    """
    if named is None:
        raise BadRequest(
            "input has ids of tokens, and nothing says that they are of this model's tokenizer; "
            "send texts. LangChain's OpenAIEmbeddings does so with "
            "check_embedding_ctx_length=False. A client that has the tokenizer of this model says "
            f'so by "token_ids_of": "{model}" in the body, or by the header x-token-ids-of.'
        )
    if named != model:
        raise BadRequest(
            f"The ids of input are of the tokenizer of '{named}', and the model is '{model}'; send "
            "texts, or ask that model."
        )


def _as_list(item: Item) -> str | list[int]:
    return item if isinstance(item, str) else list(item)


def _written(vector: NDArray[np.float32], encoding: str | None) -> Any:
    if not np.isfinite(vector).all():
        raise Broken("The model computed numbers that are not finite; its weights are damaged.")
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return vector.tolist()
