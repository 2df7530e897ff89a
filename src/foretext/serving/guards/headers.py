"""Headers by which a browser guards its user: what a page of this server may load and do."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.serving.service import Service

__all__ = ["SecurityHeaders"]

CONTENT_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": CONTENT_POLICY.encode("ascii"),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


class SecurityHeaders:
    """Adds the headers that an answer does not have by itself."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, with these headers."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                names = {name.lower() for name, _ in own}
                more = [pair for pair in HEADERS.items() if pair[0] not in names]
                message["headers"] = own + more
            await send(message)

        await self.app(scope, receive, adding)
