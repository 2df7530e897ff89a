"""The application: routes, guards, and the errors that both can raise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from foretext._version import __version__
from foretext.base.errors import ForetextError
from foretext.serving.errors import (
    ServingError,
    WrongType,
    error_body,
    error_headers,
    status_at,
    status_of,
)
from foretext.serving.freed_memory import FreedMemory
from foretext.serving.guards import GUARDS
from foretext.serving.routes import routers
from foretext.serving.scheduler import Scheduler
from foretext.serving.served_model import Models
from foretext.serving.service import Metrics, Service
from foretext.serving.settings import ServingConfig

__all__ = ["create_app", "document"]

DESCRIPTION = """\
Models of foretext behind HTTP. Clients of OpenAI, Hugging Face and text-embeddings-inference talk \
to the same routes as to their own servers. GET /info says which models there are and what each of \
them can do. Every body may name its model; otherwise the first one that can do it answers.

A refusal is one sentence with its cause and a remedy. 429 and 503 say in Retry-After when to ask \
again."""

TAGS = {
    "text-embeddings-inference": "Vectors, labels, scores and tokens, as its clients ask.",
    "huggingface_hub": "What its InferenceClient asks: one address for every kind of model.",
    "rerank": "Texts by their relevance to a query, in two forms.",
    "OpenAI": "What OpenAI's client, LangChain and lm-eval ask.",
    "words and tokens": "Neighbours, analogies, maps of words; masks; attention.",
    "tasks": "What models have learned from rows: labels, tags, answers, translations.",
    "search": "Passages that answer a query.",
    "Label Studio": "What its ML backend answers: labels and entities before a person looks.",
    "operations": "Health, facts and metrics, for those who run the server.",
}
OF_INPUTS = frozenset({400, 413, 415, 422})  # statuses of what a request brings
KEY = {"type": "http", "scheme": "bearer", "description": "Needed where the server has keys."}
WAITING = {
    "Retry-After": {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "integer", "minimum": 0},
    }
}
_TEXT, _TEXT_OR_NULL = {"type": "string"}, {"type": ["string", "null"]}
ERRORS = {
    "Error": {
        "type": "object",
        "description": "Why a request is refused.",
        "properties": {"error": _TEXT, "error_type": _TEXT},
        "required": ["error", "error_type"],
    },
    "OpenAIError": {
        "type": "object",
        "description": "Why a request is refused, in OpenAI's form.",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "message": _TEXT,
                    "type": _TEXT,
                    "param": _TEXT_OR_NULL,
                    "code": _TEXT_OR_NULL,
                },
                "required": ["message", "type", "param", "code"],
            },
            "message": _TEXT,
        },
        "required": ["error", "message"],
    },
}


def create_app(
    models: Mapping[str, Any] | Models, settings: ServingConfig | None = None
) -> FastAPI:
    """Return an application that answers for models.

    Args:
        models: name to what `foretext.load` opened.
        settings: None: the defaults.
    """
    settings = settings or ServingConfig()
    opened = models if isinstance(models, Models) else Models(models)
    service = Service(opened, Scheduler(settings), settings, Metrics())
    service.metrics.watch_queue(lambda: service.scheduler.queue_size)
    service.scheduler.observers.append(
        lambda batch: service.metrics.note_batch(batch.num_items, batch.tokens)
    )
    service.scheduler.observers.append(FreedMemory())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.scheduler.start()
        yield
        await service.scheduler.stop()

    app = FastAPI(
        title="foretext", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    app.state.service = service
    for router in routers():
        app.include_router(router)
    app.openapi = cache(partial(document, app))  # type: ignore[method-assign]
    for guard in reversed(GUARDS):
        app.add_middleware(guard, service=service)
    app.add_exception_handler(ForetextError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_route)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ForetextError)
    return JSONResponse(
        error_body(request.url.path, error),
        status_of(error, request.url.path),
        dict(error_headers(error)),
    )


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    if isinstance(error.body, bytes) and error.body:  # FastAPI reads nothing else than JSON
        return await _refused(request, _wrong_type(request))
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return await _refused(request, ForetextError(f"{place}: {first['msg']}."))


def _wrong_type(request: Request) -> WrongType:
    said = repr(request.headers.get("content-type", ""))[:80]
    return WrongType(
        f"The body is no JSON (its Content-Type is {said}); send a JSON object with the header "
        "Content-Type: application/json."
    )


async def _no_route(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    sentence = ForetextError(f"{request.method} {request.url.path}: {error.detail}.")
    body = error_body(request.url.path, sentence)
    return JSONResponse(body, error.status_code, dict(error.headers or {}))


def document(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application by OpenAPI 3.1."""
    found = get_openapi(
        title="foretext",
        version=__version__,
        description=DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )
    for path, operations in found["paths"].items():
        for operation in operations.values():
            answers = operation["responses"]
            invalid = answers.pop("422", None)  # FastAPI's; it has none where nothing is read
            answers.update(_refusals(path, reads=invalid is not None))
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's form, which is not ours
        schemas.pop(name, None)
    schemas.update(ERRORS)
    components["securitySchemes"] = {"key": KEY}
    found["security"] = [{}, {"key": []}]
    return found


def _refusals(path: str, *, reads: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each status by which a route may refuse, and what the answer is then."""
    form = "OpenAIError" if path.startswith("/v1/") else "Error"
    reasons: dict[int, list[str]] = defaultdict(list)
    for error in ServingError.__subclasses__():
        assert error.__doc__ is not None
        reasons[status_at(error.status, path)].append(error.__doc__.partition("\n")[0])
    for status, sentences in sorted(reasons.items()):
        if not reads and status in OF_INPUTS:
            continue
        answer: dict[str, Any] = {
            "description": " ".join(sentences),
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{form}"}}},
        }
        if status in (429, 503):
            answer["headers"] = WAITING
        yield str(status), answer
