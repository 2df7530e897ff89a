"""What stands before the routes: limits, keys, origins, headers, the access log and metrics."""

from __future__ import annotations

from typing import Any

from foretext.serving.guards.admission import Admission
from foretext.serving.guards.body import BodyGuard
from foretext.serving.guards.departures import Departures
from foretext.serving.guards.headers import SecurityHeaders
from foretext.serving.guards.key import KeyGuard
from foretext.serving.guards.observation import Observation
from foretext.serving.guards.origins import Hosts, Origins
from foretext.serving.guards.time_limit import TimeLimit

__all__ = ["GUARDS"]

# Classes of ASGI middleware, the outermost first; each is built as guard(app, service=Service).
GUARDS: tuple[Any, ...] = (
    Observation,
    SecurityHeaders,
    Hosts,
    Origins,
    KeyGuard,
    BodyGuard,
    Admission,
    TimeLimit,
    Departures,
)
