"""The tokenizer of the model that scores texts, for clients that have none of their own.

lm-eval asks so (``tokenizer_backend=remote``, which it finds out by itself): its ids are then
certainly those of the model. The routes are vLLM's; ``/tokenize`` is one of
text-embeddings-inference, too, and takes a `prompt` in place of `inputs`.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field

from foretext.serving.abilities.decode import DecodeOptions
from foretext.serving.abilities.tokenize import TokenizeOptions
from foretext.serving.body import Body
from foretext.serving.errors import CannotServe
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service

__all__ = ["prompt_tokens", "router"]

router = APIRouter(tags=["OpenAI"])


class DetokenizeBody(Body):
    """Ids of one text."""

    tokens: list[int] = Field(examples=[[5, 6]])
    """Of this model's tokenizer."""


@router.get("/tokenizer_info")
async def tokenizer_info(request: Request) -> dict[str, Any]:
    """Return the names of the tokens at which texts begin and end."""
    tokenizer = _scorer(request, None).model.tokenizer
    special = tokenizer.special

    def name(token: int | None) -> str | None:
        return None if token is None else str(tokenizer.tokens[token])

    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": name(special.start),
        "eos_token": name(special.end),
        "pad_token": name(special.pad),
        "unk_token": name(special.unknown),
    }


@router.post("/detokenize")
async def detokenize(body: DetokenizeBody, request: Request) -> dict[str, str]:
    """Return the text of ids."""
    model = _scorer(request, body.model).name
    answered = await Service.of(request).answer(
        request, "decode", [tuple(body.tokens)], DecodeOptions(skip_special=False), model=model
    )
    return {"prompt": answered.answers[0]}


async def prompt_tokens(
    prompt: str, request: Request, model: str | None, *, special: bool
) -> dict[str, Any]:
    """Return the ids of a text; `special`: with those that stand around it."""
    name = _scorer(request, model).name
    answered = await Service.of(request).answer(
        request, "tokenize", [prompt], TokenizeOptions(special), model=name
    )
    ids = [token.id for token in answered.answers[0]]
    return {"count": len(ids), "tokens": ids}


def _scorer(request: Request, name: str | None) -> ServedModel:
    """Return the model that scores texts.

    Raises:
        CannotServe: there is none, or there are several and the request names none of them: ids of
            the wrong one would give wrong figures.
    """
    models = Service.of(request).models
    first = models.find(name, "likelihood")
    if name is not None:
        return first
    scorers = [model.name for model in models if "likelihood" in model.abilities]
    if len(scorers) > 1:
        raise CannotServe(
            f"Several models of this server score texts ({', '.join(scorers)}), and the request "
            "names none, so no tokenizer can be taken for granted; give a client the folder of the "
            "right one (lm-eval: tokenizer=FOLDER,tokenizer_backend=huggingface)."
        )
    return first
