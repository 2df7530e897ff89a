"""POST / by the kind of the model, as huggingface_hub's `InferenceClient` asks it.

The first model of the server is asked, or the one that the body names. ``/models/NAME`` asks one by
its name: ``InferenceClient("http://127.0.0.1:8000/models/NAME")`` is a client of it alone.

A body with "parameters" is for what the model has learned; one without is for its vectors, if it
has some. That is how the client itself tells the two apart.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.responses import Response

from foretext.serving.errors import CannotServe
from foretext.serving.hub_tasks import TASKS, HubRequest, question_answering
from foretext.serving.routes import tei
from foretext.serving.routes.operations import health
from foretext.serving.routes.rerank import TextsBody, rank_texts
from foretext.serving.routes.tei import EmbedBody, SimilarityBody
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service
from foretext.serving.tei_info import tei_info
from foretext.serving.text_request import json_reply, vectors_reply

__all__ = ["router"]

router = APIRouter(tags=["huggingface_hub"])

T = TypeVar("T", bound=BaseModel)


class HubBody(BaseModel):
    """What a client sends, of whatever task."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    inputs: Any = None
    """A text, or several; or a question with its context; or a sentence with others."""

    parameters: dict[str, Any] | None = None
    """Those of the task."""

    stream: bool = False
    """Whether a text is to come token by token."""

    model: str | None = None
    """Name of the model; null: the first one."""


@router.post("/", response_model=Any)
@router.post("/invocations", response_model=Any)  # as SageMaker asks
async def root(body: Annotated[HubBody, Body()], request: Request) -> Response:
    """Answer by the kind of the model."""
    return await _answer(body, request)


@router.post("/models/{name}", response_model=Any)
async def root_of_model(name: str, body: Annotated[HubBody, Body()], request: Request) -> Response:
    """Answer by the kind of one model."""
    return await _answer(body.model_copy(update={"model": name}), request)


@router.get("/models/{name}/info")
async def info_of_model(name: str, request: Request) -> dict[str, Any]:
    """Return facts of one model."""
    service = Service.of(request)
    model = service.models.named(name).info()
    return {**tei_info(model, service.settings), **model}


@router.get("/models/{name}/health")
async def health_of_model(name: str, request: Request) -> Response:
    """Answer 200 when requests to one model can be answered."""
    Service.of(request).models.named(name)
    return await health(request)


async def _answer(body: HubBody, request: Request) -> Response:
    models = Service.of(request).models
    given = body.model_dump(exclude_unset=True)
    if "candidate_labels" in (body.parameters or {}):
        raise CannotServe(
            "Zero-shot classification needs a model of entailment, which no model here is; learn "
            "your labels by `foretext finetune classification`."
        )
    if "query" in given:
        return await rank_texts(_checked(TextsBody, given), request)
    if isinstance(body.inputs, dict) and "source_sentence" in body.inputs:
        answered = await tei.similarities(_checked(SimilarityBody, given), request)
        return json_reply(answered.answers, answered.headers)
    if isinstance(body.inputs, dict):
        model = models.find(body.model, "answer")
        return await question_answering(HubRequest(request, model, body.inputs, body.parameters))
    model = models.named(body.model)
    task = next((task for name, task in TASKS.items() if name in model.abilities), None)
    if "embed" in model.abilities and (task is None or body.parameters is None):
        return await _embed(given | {"model": model.name}, request)
    if task is None:
        raise _no_task(model)
    return await task(HubRequest(request, model, body.inputs, body.parameters, body.stream))


async def _embed(given: dict[str, Any], request: Request) -> Response:
    if given.get("encoding_format") not in (None, "float"):
        raise CannotServe(
            "encoding_format: vectors are numbers here; ask /v1/embeddings for base64."
        )
    return vectors_reply(await tei.embeddings(_checked(EmbedBody, given), request))


def _no_task(model: ServedModel) -> CannotServe:
    return CannotServe(
        f"The model '{model.name}' has no task that POST / answers; it has: "
        f"{', '.join(model.abilities)}."
    )


def _checked(kind: type[T], given: dict[str, Any]) -> T:
    """Return a body as the route of its task takes it.

    Raises:
        RequestValidationError: it is not of that form.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None
