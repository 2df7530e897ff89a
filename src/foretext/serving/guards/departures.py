"""A request whose client has left is given up, so that nothing is computed for nobody."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.serving.service import Service

__all__ = ["Departures"]

WATCHED_AFTER = 0.02  # seconds; most requests are answered before, and cost nothing here


class Departures:
    """Cancels a request when its client closes the connection."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or give it up."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            await self.app(scope, receive, send)
            return
        watch = _Watch(receive, task)
        try:
            await self.app(scope, watch.receive, send)
        except asyncio.CancelledError:
            if not watch.has_left:
                raise
            task.uncancel()
        finally:
            watch.end()


class _Watch:
    """Waits for the message that the client has left, which comes after the whole body."""

    def __init__(self, receive: Receive, task: asyncio.Task[object]) -> None:
        self.has_left = False
        self._receive = receive
        self._task = task
        self._timer: asyncio.TimerHandle | None = None
        self._departure: asyncio.Task[Message] | None = None

    async def receive(self) -> Message:
        """Pass on a message; of those after the body, the application may ask for any number."""
        if self._timer is not None:
            return await asyncio.shield(self._waiting())
        message = await self._receive()
        if not message.get("more_body", False):
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(WATCHED_AFTER, self._waiting)
        return message

    def end(self) -> None:
        """Stop to watch, since the request has its answer."""
        if self._timer is not None:
            self._timer.cancel()
        if self._departure is not None:
            self._departure.cancel()

    def _waiting(self) -> asyncio.Task[Message]:
        if self._departure is None:
            self._departure = asyncio.create_task(self._wait())
        return self._departure

    async def _wait(self) -> Message:
        while (message := await self._receive())["type"] != "http.disconnect":
            continue
        self.has_left = True
        self._task.cancel()
        return message
