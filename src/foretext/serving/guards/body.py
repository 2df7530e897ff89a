"""Bodies are read here, once: never more of them than the limits, and JSON only if it is plain."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.serving.errors import BadRequest, Full, ServingError, TooLarge
from foretext.serving.guards.json_body import OddJsonError, check_json
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service
from foretext.serving.trace import Trace

__all__ = ["BodyGuard"]

MAX_VALUES = 1_000_000  # of one body; token ids are values too
# What tools say of JSON when nobody has named its type: nothing, or what `curl --data` says.
UNNAMED = frozenset(
    {b"", b"application/x-www-form-urlencoded", b"application/octet-stream", b"text/plain"}
)


class BodyGuard:
    """Reads the body of a request, whatever its headers say of its length.

    A request takes its turn only when all of it is here, so that slow clients hold no place.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.largest = service.settings.max_body_bytes
        self.keeps = service.settings.log_texts
        self.budget = service.settings.max_bodies_bytes  # bytes of all bodies that are held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with the whole of its body."""
        if scope["type"] != "http" or not _has_body(scope):
            await self.app(scope, receive, send)
            return
        held = _Held(self)
        try:
            body = await held.read(scope, receive)
            if body is None:
                return  # the client left
            if self.keeps:
                Trace.of(scope).body = body
            if _is_json(scope, body):
                check_json(body, MAX_VALUES)
                _name_json(scope)
        except OddJsonError as error:
            await refuse(BadRequest(str(error)), scope, receive, send)
        except ServingError as error:
            await refuse(error, scope, receive, send)
        else:
            await self.app(scope, _replayed(body, receive), send)
        finally:
            held.release()


class _Held:
    """The bytes of one body, counted in the budget of all."""

    def __init__(self, guard: BodyGuard) -> None:
        self.guard = guard
        self.num_bytes = 0

    async def read(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body; None if the client left before its end."""
        self._check(_said_length(scope))
        content = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            part = message.get("body", b"")
            self._check(self.num_bytes + len(part))
            self._take(len(part))
            content += part
            if not message.get("more_body", False):
                return bytes(content)

    def release(self) -> None:
        """Give back what the body took of the budget."""
        self.guard.budget += self.num_bytes
        self.num_bytes = 0

    def _check(self, num_bytes: int) -> None:
        if num_bytes > self.guard.largest:
            raise TooLarge(
                f"The body has more than {self.guard.largest:,} bytes, the most that this server "
                "takes; send fewer inputs in a request."
            )

    def _take(self, num_bytes: int) -> None:
        if num_bytes > self.guard.budget:
            raise Full("The bodies of all requests are more than this server holds.", 1.0)
        self.guard.budget -= num_bytes
        self.num_bytes += num_bytes


def _has_body(scope: Scope) -> bool:
    names = {name for name, _ in scope["headers"]}
    return b"content-length" in names or b"transfer-encoding" in names


def _is_json(scope: Scope, body: bytes) -> bool:
    """Whether a body is JSON, by its header, or by itself where the header says nothing of it.

    No form begins with a brace. A page of another site cannot send JSON in this way: `Origins`
    looks at where a request is from, not at its type.
    """
    kind = (header(scope, b"content-type") or b"").partition(b";")[0].strip().lower()
    return b"json" in kind or (kind in UNNAMED and body.lstrip()[:1] == b"{")


def _name_json(scope: Scope) -> None:
    """Give a request the type by which routes know JSON."""
    others = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
    scope["headers"] = [*others, (b"content-type", b"application/json")]


def _said_length(scope: Scope) -> int:
    said = header(scope, b"content-length") or b"0"
    return int(said) if said.isdigit() and len(said) < 20 else 0


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body once, and then says, as the server does, that a client left."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replaying() -> Message:
        return parts.pop() if parts else await receive()

    return replaying
