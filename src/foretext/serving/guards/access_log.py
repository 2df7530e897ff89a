"""One line of the access log: what was asked, never which text, unless that is wanted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from starlette.types import Scope

from foretext.serving.errors import Loading
from foretext.serving.settings import ServingConfig
from foretext.serving.trace import Trace, route_of

__all__ = ["access_line", "is_routine"]

LONGEST_PATH, LONGEST_TEXT = 200, 2000  # letters that a line repeats
# Routes that programs ask every few seconds, and those of the page's many files.
ROUTINE = frozenset({"/health", "/ping", "/metrics", "/playground/{path:path}"})


def is_routine(trace: Trace, scope: Scope, *, is_loading: bool) -> bool:
    """Whether a request would only fill the log: a probe, or a file of the page, without error.

    While models are loading, the refusal of a probe is no error, nor that of the page, which asks
    each second for ``/info``. Metrics count all of them.
    """
    _, route = route_of(scope)
    if is_loading and trace.status == Loading.status:
        return route in ROUTINE or route == "/info"
    return 0 < trace.status < 400 and route in ROUTINE


def access_line(trace: Trace, scope: Scope, settings: ServingConfig) -> str:
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
