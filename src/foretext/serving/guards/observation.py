"""Every request is timed, counted and logged, and none ends without an answer."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.base.terminal import say
from foretext.serving.defects import say_defect
from foretext.serving.errors import Broken
from foretext.serving.guards.access_log import access_line, is_routine
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service
from foretext.serving.trace import Trace, route_of

__all__ = ["Observation"]


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
        if settings.access_log != "off" and not is_routine(trace, scope, is_loading=is_loading):
            say(access_line(trace, scope, settings), error=True)
