"""What is known of one request: for its log line, its metrics and its answers' headers."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass, field

from starlette.types import Scope

__all__ = ["Trace", "route_of"]

_PLACE = "foretext.trace"  # in the scope
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")  # goes into a header and into the log
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})


@dataclass
class Trace:
    """One request, filled in on its way."""

    request_id: str
    began: float = field(default_factory=time.perf_counter)
    key: bytes = b""  # the header with the key that was checked; b"": the server asks for none
    status: int = 0  # 0: the client left before an answer
    model: str = ""
    ability: str = ""
    num_inputs: int = 0
    num_tokens: int = 0
    queue_ms: float = 0.0
    inference_ms: float = 0.0
    body: bytes = b""  # kept only where the log may show texts

    @classmethod
    def begin(cls, scope: Scope, given_id: bytes | None) -> Trace:
        """Put a new trace into a request; an id that the client gives is taken if it is plain."""
        name = (given_id or b"").decode("latin-1")
        trace = cls(name if _REQUEST_ID.fullmatch(name) else uuid.uuid4().hex)
        scope[_PLACE] = trace
        return trace

    @classmethod
    def of(cls, scope: Scope) -> Trace:
        """Return the trace of a request; one that nobody reads, where no guard began it."""
        trace: Trace = scope.setdefault(_PLACE, cls(""))
        return trace

    @property
    def seconds(self) -> float:
        """Time since the request began."""
        return time.perf_counter() - self.began


def route_of(scope: Scope) -> tuple[str, str]:
    """Return method and route of a request, from a bounded set: never what a client wrote."""
    method = scope["method"] if scope["method"] in METHODS else "other"
    route = scope.get("route")
    return method, route.path if route is not None else "none"
