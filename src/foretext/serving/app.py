"""The application: routes, guards, and the errors that both can raise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from foretext._version import __version__
from foretext.base.errors import ForetextError
from foretext.serving.document import document
from foretext.serving.errors import WrongType, error_body, error_headers, status_of
from foretext.serving.freed_memory import FreedMemory
from foretext.serving.guards import GUARDS
from foretext.serving.metrics import Metrics
from foretext.serving.routes import routers
from foretext.serving.scheduler import Scheduler
from foretext.serving.served_model import Models
from foretext.serving.service import Service
from foretext.serving.settings import ServingConfig

__all__ = ["create_app"]


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
