"""A request whose answer does not begin in time ends with an error, and leaves the queue."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.serving.errors import TooSlow
from foretext.serving.guards.refusal import refuse
from foretext.serving.service import Service

__all__ = ["TimeLimit"]


class TimeLimit:
    """Cancels a request after its time; an answer that streams may go on."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.seconds = service.settings.max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say that it took too long."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = asyncio.timeout(self.seconds)

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start" and not limit.expired():
                limit.reschedule(None)
            await send(message)

        try:
            async with limit:
                await self.app(scope, receive, noting)
        except TimeoutError:
            if not limit.expired():
                raise
            error = TooSlow(
                f"The answer did not begin within {self.seconds:g} seconds; send fewer or shorter "
                "inputs, or ask again when the server has less to do."
            )
            await refuse(error, scope, receive, send)
