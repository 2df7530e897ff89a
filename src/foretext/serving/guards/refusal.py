"""An answer to a request that goes no further."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from foretext.serving.errors import ServingError, error_body, error_headers, status_of

__all__ = ["header", "refuse"]


async def refuse(
    error: ServingError, scope: Scope, receive: Receive, send: Send, **headers: str
) -> None:
    """Answer with an error, in the form of the family that the route belongs to.

    Args:
        error: says status and sentence.
        scope, receive, send: of the request.
        headers: more headers, with ``_`` for ``-``.
    """
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = JSONResponse(
        error_body(scope["path"], error),
        status_of(error, scope["path"]),
        {**error_headers(error), **more},
    )
    await answer(scope, receive, send)


def header(scope: Scope, name: bytes) -> bytes | None:
    """Return the first header of a name in lower case, as the client wrote it."""
    for own, value in scope["headers"]:
        if own == name:
            content: bytes = value
            return content
    return None
