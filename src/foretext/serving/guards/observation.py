"""Every request is timed, counted and logged, and none ends without an answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.base.terminal import say
from foretext.serving.errors import Broken, Loading, say_defect
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service, Trace, route_of
from foretext.serving.settings import ServingConfig

__all__ = ["Observation"]

LONGEST_PATH, LONGEST_TEXT = 200, 2000  # letters that a line repeats

# Routes that programs ask every few seconds, and those of the page's many files.
ROUTINE = frozenset({"/health", "/ping", "/metrics", "/playground/{path:path}"})


class Observation:
    """The outermost guard: request id, access log, metrics, and an answer to defects."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Observe one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace = Trace.begin(scope, header(scope, b"x-request-id"))
        request_id = (b"x-request-id", trace.request_id.encode("ascii"))

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                trace.status = message["status"]
                message["headers"] = [*message.get("headers", ()), request_id]
            await send(message)

        with self.service.metrics.in_flight():
            try:
                await self.app(scope, receive, noting)
            except Exception as defect:  # whatever it is, the server goes on
                await self._answer_defect(defect, trace, scope, receive, noting)
            finally:
                self._note(trace, scope)

    async def _answer_defect(
        self, defect: Exception, trace: Trace, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Log where a defect is, without its message, which may hold a client's text."""
        say_defect(defect, f"request {trace.request_id}", self.service.settings)
        if not trace.status:
            error = Broken(f"The server failed; its log says where, by {trace.request_id}.")
            await refuse(error, scope, receive, send)

    def _note(self, trace: Trace, scope: Scope) -> None:
        self.service.metrics.note(trace, *route_of(scope))
        settings, is_loading = self.service.settings, self.service.models.is_loading
        if settings.access_log != "off" and not _is_routine(trace, scope, is_loading=is_loading):
            say(_access_line(trace, scope, settings), error=True)


def _is_routine(trace: Trace, scope: Scope, *, is_loading: bool) -> bool:
    """Whether a request would only fill the log: a probe, or a file of the page, without error.

    While models are loading, the refusal of a probe is no error, nor that of the page, which asks
    each second for ``/info``. Metrics count all of them.
    """
    _, route = route_of(scope)
    if is_loading and trace.status == Loading.status:
        return route in ROUTINE or route == "/info"
    return 0 < trace.status < 400 and route in ROUTINE


def _access_line(trace: Trace, scope: Scope, settings: ServingConfig) -> str:
    """Return the line of one request, as words or as JSON.

    Whatever a client wrote is escaped as JSON is, to ASCII: no line break can begin a line of its
    own, and nothing steers a terminal. The query string is left out, since it may hold a key.
    """
    facts = _facts(trace, scope)
    if settings.log_texts:
        facts["body"] = trace.body[:LONGEST_TEXT].decode("utf-8", "replace")
    if settings.access_log == "json":
        return json.dumps(facts)
    return " ".join(_word(name, value) for name, value in facts.items())


def _facts(trace: Trace, scope: Scope) -> dict[str, Any]:
    client = scope.get("client")
    facts: dict[str, Any] = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": client[0] if client else "",
        "method": scope["method"][:LONGEST_PATH],
        "path": scope["path"][:LONGEST_PATH],
        "status": trace.status,
        "ms": round(trace.seconds * 1000, 2),
        "id": trace.request_id,
    }
    if trace.model:
        facts |= {
            "model": trace.model,
            "ability": trace.ability,
            "inputs": trace.num_inputs,
            "tokens": trace.num_tokens,
            "queue_ms": round(trace.queue_ms, 2),
            "inference_ms": round(trace.inference_ms, 2),
        }
    return facts


def _word(name: str, value: Any) -> str:
    """Time, client, method, path and status as they are, the rest by name."""
    said = json.dumps(value)
    if isinstance(value, str) and said[1:-1] == value and value and " " not in value:
        said = value
    return said if name in ("time", "client", "method", "path", "status") else f"{name}={said}"
