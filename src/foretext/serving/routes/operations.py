"""Routes for those who run a server: health, facts and metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from foretext.serving.errors import Loading, Unhealthy
from foretext.serving.service import Service
from foretext.serving.tei_info import tei_info

__all__ = ["router"]

router = APIRouter(tags=["operations"])


@router.get("/health", response_class=Response)
async def health(request: Request) -> Response:
    """Answer 200 when requests can be answered: models are open, and their thread lives."""
    service = _ready(request)
    if not service.scheduler.is_alive:
        raise Unhealthy("The thread that computes has ended; start the server again.")
    return Response()


@router.get("/ping", response_class=Response)
async def ping(request: Request) -> Response:
    """Answer as ``/health`` does; SageMaker asks under this name."""
    return await health(request)


@router.get("/info")
async def info(request: Request) -> dict[str, Any]:
    """Return facts of the server and of each model.

    On the outer level stand those that clients of text-embeddings-inference read, of the first
    model.
    """
    service = _ready(request)
    models = [model.info() for model in service.models]
    return {**tei_info(models[0], service.settings), "models": models}


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus's text format."""
    text = Service.of(request).metrics.text()
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _ready(request: Request) -> Service:
    service = Service.of(request)
    if service.models.is_loading:
        raise Loading("The models are being loaded; ask again in a moment.")
    return service
