"""Only so many requests are answered or wait at once; what is too much hears when to come back."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from foretext.serving.errors import Full
from foretext.serving.guards.refusal import refuse
from foretext.serving.service import Service

__all__ = ["Admission"]

IS_LIGHT = frozenset({"GET", "HEAD", "OPTIONS"})  # pages, facts and metrics, under any load


class Admission:
    """Refuses requests beyond the number that the server takes on."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.service = service
        self.num_requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request if there is a place for it."""
        if scope["type"] != "http" or scope["method"] in IS_LIGHT:
            await self.app(scope, receive, send)
            return
        if self.num_requests >= self.service.settings.max_requests:
            error = Full(
                f"{self.num_requests:,} requests are answered or wait, the most that this server "
                "takes on at once; ask again later.",
                self.service.scheduler.retry_after,
            )
            await refuse(error, scope, receive, send)
            return
        self.num_requests += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.num_requests -= 1
