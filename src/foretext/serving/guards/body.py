"""Bodies are read here, once: never more of them than the limits, and JSON only if it is plain.

JSON that different readers would read differently, or that costs far more than its bytes.
Python's reader takes NaN, keys that come twice and half characters, and an empty list of two
bytes becomes an object of 56. All that is refused here, before anything else sees it (RFC 8259,
sections 4, 8.1 and 9).
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foretext.base.errors import ForetextError
from foretext.serving.errors import BadRequest, Full, ServingError, TooLarge
from foretext.serving.guards.refusal import header, refuse
from foretext.serving.service import Service, Trace

__all__ = ["MAX_DEPTH", "BodyGuard", "OddJsonError", "check_json"]

MAX_VALUES = 1_000_000  # of one body; token ids are values too

# What tools say of JSON when nobody has named its type: nothing, or what `curl --data` says.
UNNAMED = frozenset(
    {b"", b"application/x-www-form-urlencoded", b"application/octet-stream", b"text/plain"}
)

MAX_DEPTH = 32  # lists and objects within each other
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_HALF = re.compile(r"[\ud800-\udfff]")


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


class OddJsonError(ForetextError):
    """A body that is no JSON, or such that no client should send it."""


def check_json(body: bytes, max_values: int) -> None:
    """Refuse a body that is not plain JSON.

    Args:
        body: the whole body.
        max_values: numbers, texts, lists and objects that it may hold, all together.

    Raises:
        OddJsonError: the sentence says what is wrong; it repeats nothing of the body.
    """
    _check_size(body, max_values)
    try:
        text = body.decode("utf-8")
        value = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise OddJsonError("The body is not UTF-8; encode JSON as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise OddJsonError(f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise OddJsonError("The body has a number of thousands of digits.") from None
    if b"\\ud" in body or b"\\uD" in body:  # the only way for half a character
        _check_characters(value)


def _check_size(body: bytes, max_values: int) -> None:
    """Count values and depth without making a value; strings are left out where it matters."""
    num_openings = body.count(b"[") + body.count(b"{")
    if num_openings <= MAX_DEPTH and body.count(b",") < max_values:
        return
    bare = _STRING.sub(b"", body)
    num_values = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if num_values > max_values:
        raise OddJsonError(
            f"The body has more than {max_values:,} values; send fewer in a request."
        )
    depth = 0
    for byte in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if byte in b"[{" else -1
        if depth > MAX_DEPTH:
            raise _too_deep()


def _check_characters(value: Any) -> None:
    """Refuse texts with half a character, which no encoding of Unicode can write."""
    if isinstance(value, str):
        if _HALF.search(value):
            raise OddJsonError(
                "The body has half a character (a lone surrogate such as \\ud800); write the "
                "character itself, or both halves."
            )
    elif isinstance(value, dict):
        for key, held in value.items():
            _check_characters(key)
            _check_characters(held)
    elif isinstance(value, list):
        for held in value:
            _check_characters(held)


def _too_deep() -> OddJsonError:
    return OddJsonError(f"The body has more than {MAX_DEPTH} lists or objects within each other.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise OddJsonError("An object of the body has the same key twice.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise OddJsonError(f"The body has {name}, which JSON has no number for.")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise OddJsonError("The body has a number beyond the range of a double.")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
)
