"""What stands before the routes: limits, keys, origins, headers, the access log and metrics."""

from __future__ import annotations

from typing import Any

__all__ = ["GUARDS"]

# Classes of ASGI middleware, the outermost first; each is built as guard(app, service=Service).
GUARDS: tuple[Any, ...] = ()
