"""Pages of other sites do not use this server, unless they are named.

A browser carries requests of any page to any address, 127.0.0.1 too. Two ways in are closed here:
a name of the page's own site that suddenly points to this machine (DNS rebinding), and requests
that a page sends without reading the answer.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from foretext.serving.errors import Forbidden
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service

__all__ = ["Hosts", "Origins", "is_loopback"]

ASKS_ONLY = frozenset({"GET", "HEAD", "OPTIONS"})
SHOWN = (
    "x-request-id",
    "retry-after",
    "retry-after-ms",
    "x-compute-tokens",
    "x-total-time",
    "x-tokenization-time",
    "x-queue-time",
    "x-inference-time",
)


class Hosts:
    """Refuses requests under a name that is not this server's.

    Without named hosts a server at a loopback address answers to ``localhost`` and loopback
    addresses, and one at another address to every name.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        settings = service.settings
        self.app = app
        self._names = {name.lower() for name in (settings.host, *settings.allowed_hosts)}
        self._is_open = not (settings.allowed_hosts or is_loopback(settings.host))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request to this server."""
        if self._is_open or scope["type"] != "http" or self._knows(scope):
            await self.app(scope, receive, send)
            return
        error = Forbidden(
            "The header Host names a server that this is not; ask localhost, or name the host "
            "with --allowed-host."
        )
        await refuse(error, scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        given = header(scope, b"host")
        name = _host(given.decode("latin-1")) if given is not None else None
        return given is None or (name is not None and (name in self._names or is_loopback(name)))


class Origins:
    """Answers pages of the named origins (CORS), and refuses what pages of others send."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        named = service.settings.cors
        self._named = frozenset(named)
        self._inner = app
        self.app = app
        if named:
            self.app = CORSMiddleware(
                app,
                allow_origins=named,
                allow_methods=("GET", "POST"),
                allow_headers=("authorization", "content-type", "x-request-id"),
                expose_headers=SHOWN,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request of no page, of an own page, or of a page of a named origin."""
        if scope["type"] != "http" or scope["method"] in ASKS_ONLY or self._may_ask(scope):
            await self.app(scope, receive, send)
            return
        error = Forbidden(
            "The header Origin names a page of another site; name its origin with --cors if its "
            "pages may ask this server."
        )
        await refuse(error, scope, receive, send)

    def _may_ask(self, scope: Scope) -> bool:
        given = header(scope, b"origin")
        if given is None or "*" in self._named:
            return True
        if header(scope, b"sec-fetch-site") == b"same-origin":
            return True  # the browser itself says so, also where a proxy has changed Host
        origin = given.decode("latin-1")
        own = (header(scope, b"host") or b"").decode("latin-1")
        return origin in self._named or origin.partition("://")[2].lower() == own.lower()


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine alone."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host(value: str) -> str | None:
    """The name in a Host header, in lower case and without its port."""
    try:
        return urlsplit(f"//{value}").hostname
    except ValueError:
        return None
