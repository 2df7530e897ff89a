"""Connections that keep the server waiting are closed: for headers, a body, a request, a reader.

uvicorn waits without end for the rest of headers or of a body, and for a client that does not read
its answer. A few thousand such connections would take every place there is (slow loris).
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from foretext.serving.settings import ServingConfig

__all__ = ["GuardedConnection", "connection_class"]

Phase = Literal["headers", "body", "idle"]
WAITING: frozenset[Phase] = frozenset({"headers", "idle"})  # for a client that owes a request
SPARED_SECONDS = 1.0  # a connection that has waited for less does not make room for another one


def connection_class(settings: ServingConfig) -> type[GuardedConnection]:
    """Return the class for uvicorn's ``http=``, with the limits of these settings."""

    class Connection(GuardedConnection):
        SETTINGS = settings
        waiting: ClassVar[dict[GuardedConnection, float]] = {}

    return Connection


class GuardedConnection(H11Protocol):
    """uvicorn's connection with a deadline for each of its phases."""

    SETTINGS: ClassVar[ServingConfig] = ServingConfig()
    # Connections of the server without a request, by the time since when, the longest first.
    waiting: ClassVar[dict[GuardedConnection, float]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds: dict[Phase, float] = {
            "headers": self.SETTINGS.header_seconds,
            "body": self.SETTINGS.body_seconds,
            "idle": self.SETTINGS.idle_seconds,
        }
        self._phase: Phase | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None  # for a client that does not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and expect its headers at once."""
        super().connection_made(transport)
        is_full = len(self.connections) > self.SETTINGS.max_connections
        if is_full and not self._displace():
            self._refuse(503, "Service Unavailable", "the server has no free connection")
        else:
            self._enter("headers")

    def data_received(self, data: bytes) -> None:
        """Read, and see what is expected next."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._enter(self._expected())

    def on_response_complete(self) -> None:
        """Expect the next request, or the rest of a body that was refused."""
        super().on_response_complete()
        self._enter(self._expected())

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.SETTINGS.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._forget_unread()

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop what waits."""
        super().connection_lost(exc)
        self._enter(None)
        self._forget_unread()

    def _expected(self) -> Phase | None:
        """What the client owes; nothing while the server works."""
        state = self.conn.their_state
        if self.transport.is_closing():
            return None
        if state is h11.SEND_BODY:
            return "body"
        if state is h11.IDLE:
            return "headers" if self.conn.trailing_data[0] else "idle"
        return None

    def _enter(self, phase: Phase | None) -> None:
        """Begin a phase; one that goes on keeps its deadline, however slowly bytes come."""
        if phase == self._phase:
            return
        self._phase = phase
        self.waiting.pop(self, None)
        if phase in WAITING:
            self.waiting[self] = self.loop.time()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if phase is not None:
            self._deadline = self.loop.call_later(self._seconds[phase], self._expire)

    def _displace(self) -> bool:
        """Close the connection that has waited longest for a request; False: none has for long.

        Whoever opens all connections that there are, and asks nothing, keeps nobody out.
        """
        oldest = next(iter(self.waiting), None)
        if oldest is None or self.loop.time() - self.waiting[oldest] < SPARED_SECONDS:
            return False
        oldest._enter(None)
        oldest._close()
        return True

    def _expire(self) -> None:
        if self.transport.is_closing():
            return
        has_answer = self.cycle is not None and self.cycle.response_started
        if self._phase == "idle" or (self._phase == "body" and has_answer):
            self._close()
        else:
            self._refuse(408, "Request Timeout", "the request did not arrive in time")

    def _refuse(self, status: int, phrase: str, message: str) -> None:
        """Answer past h11, which knows no answer to a request that never came."""
        body = f'{{"error": "{message}", "error_type": "Unhealthy"}}'.encode("ascii")
        head = (
            f"HTTP/1.1 {status} {phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self._close()

    def _close(self) -> None:
        """Close, and do not wait long for a client that does not take the last bytes."""
        self.transport.close()
        self.loop.call_later(self.SETTINGS.write_seconds, self.transport.abort)

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
