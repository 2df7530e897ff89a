"""Texts that a model writes: ``POST /v1/completions``, whole or as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from foretext.base.errors import ForetextError
from foretext.serving.errors import error_body
from foretext.serving.routes.openai.completion import Completion
from foretext.serving.routes.openai.completion_body import CompletionBody
from foretext.serving.trace import Trace

__all__ = ["router"]

router = APIRouter()

EVENT_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}  # pass on what comes


@router.post("/completions")
async def completions(body: CompletionBody, request: Request) -> Response:
    """Return texts that continue each prompt."""
    completion = Completion(body, request)
    if body.stream:
        events = _events(completion, request)
        first = await anext(events)  # an error before it has a status of its own
        return StreamingResponse(
            _after(first, events), media_type="text/event-stream", headers=EVENT_HEADERS
        )
    choices = await completion.choices()
    Trace.of(request.scope).num_tokens += completion.usage.completion_tokens
    warning = completion.warning
    headers = {} if warning is None else {"x-warning": warning}
    return Response(
        _json(completion.reply(choices)), media_type="application/json", headers=headers
    )


async def _events(completion: Completion, request: Request) -> AsyncGenerator[bytes, None]:
    """Yield an event for each piece of text, and one that ends the stream."""
    begun = False
    try:
        async with aclosing(completion.stream()) as pieces:
            async for piece in pieces:
                yield _event(completion.reply([piece], usage=False))
                begun = True
    except ForetextError as error:
        if not begun:
            raise
        yield _event(error_body(request.url.path, error))
        return
    Trace.of(request.scope).num_tokens += completion.usage.completion_tokens
    options = completion.body.stream_options
    if options is not None and options.include_usage:
        yield _event(completion.reply([]))
    yield b"data: [DONE]\n\n"


async def _after(first: bytes, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        yield first
        async for event in events:
            yield event


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + _json(content) + b"\n\n"


def _json(content: Any) -> bytes:
    """Return JSON, in which a probability of 0 has no logarithm."""
    return to_json(content, inf_nan_mode="null")
