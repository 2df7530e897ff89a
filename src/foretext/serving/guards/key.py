"""Requests need an API key, where the server has any."""

from __future__ import annotations

import os

from starlette.types import ASGIApp, Receive, Scope, Send

from foretext.serving.errors import Unauthorized
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service, Trace
from foretext.serving.settings import Keys

__all__ = ["KeyGuard"]

# What shows no model and no text: the pages, which ask for the key, and what monitors ask.
PUBLIC = frozenset({"/", "/docs", "/openapi.json", "/health", "/ping", "/metrics"})
PUBLIC_FOLDERS = ("/playground/",)
ASKS_ONLY = frozenset({"GET", "HEAD"})


class KeyGuard:
    """Refuses requests without one of the keys, but for the public routes."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.keys = Keys.read(service.settings.api_key_file, os.environ)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that brings a key or needs none."""
        if scope["type"] != "http" or not self.keys or self._allows(scope) or _is_public(scope):
            await self.app(scope, receive, send)
            return
        error = Unauthorized(
            "This server needs an API key; send it as the header 'Authorization: Bearer KEY'."
        )
        await refuse(error, scope, receive, send, www_authenticate="Bearer")

    def _allows(self, scope: Scope) -> bool:
        """Whether a request brings a key, which then tells its client apart from others."""
        given = header(scope, b"authorization") or b""
        if not self.keys.allow(given):
            return False
        Trace.of(scope).key = given
        return True


def _is_public(scope: Scope) -> bool:
    path = scope["path"]
    is_page = path in PUBLIC or path.startswith(PUBLIC_FOLDERS)
    return scope["method"] in ASKS_ONLY and is_page
