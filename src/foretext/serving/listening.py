"""How an application listens: address, TLS, connections, and what is risky about it."""

from __future__ import annotations

from typing import Any

import uvicorn

from foretext.base.errors import SettingError
from foretext.serving.guards.connections import connection_class
from foretext.serving.guards.origins import is_loopback
from foretext.serving.keys import Keys, readable_by_others
from foretext.serving.settings import ServingConfig

__all__ = ["BACKLOG", "fit_connections", "listening_config", "listening_warnings"]

BACKLOG = 2048  # connections that wait in the system until they are accepted
# asyncio accepts so many before it looks at any of them. It goes on in the same way when a process
# has no file left, and reports each failure.
ACCEPTED_AT_ONCE = 16
# Open files that are no connections: models, log, pipes; and refused connections on their way out.
OTHER_FILES = 64 + 4 * ACCEPTED_AT_ONCE


def listening_config(app: Any, settings: ServingConfig) -> uvicorn.Config:
    """Return how uvicorn serves an application: our connections, and none of its own logs.

    Raises:
        SettingError: a file of TLS is missing.
    """
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=connection_class(settings),
        loop="asyncio",  # `startup` sets an attribute of the loop, which uvloop's does not allow
        ws="none",
        log_config=None,  # setting up logs would close the handlers of the process
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=ACCEPTED_AT_ONCE,
        timeout_keep_alive=round(settings.idle_seconds) + 1,  # ours comes first
        **_tls(settings),
    )


def listening_warnings(settings: ServingConfig, keys: Keys) -> list[str]:
    """Return a sentence for each risk that the settings take."""
    warnings = []
    file = settings.api_key_file
    if file is not None and readable_by_others(file):
        warnings.append(f"{file} can be read by other users; `chmod 600 {file}` keeps it to you.")
    if is_loopback(settings.host):
        return warnings
    if not keys:
        warnings.append(
            f"Everybody who reaches {settings.host} can use this server; give --api-key-file, or "
            "listen at 127.0.0.1."
        )
    elif settings.tls_cert is None:
        warnings.append(
            "API keys travel unencrypted; give --tls-cert and --tls-key, or let a proxy do it."
        )
    return warnings


def fit_connections(settings: ServingConfig) -> tuple[ServingConfig, str | None]:
    """Let the process open a file for each connection; where the system does not, take fewer.

    Returns:
        The settings with as many connections as there are files for, and a sentence where these
        are fewer than before.
    """
    import resource  # not on Windows

    wanted = settings.max_connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return settings, None
    possible = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    if possible == wanted:
        return settings, None
    fitting = max(possible - OTHER_FILES, possible // 2)
    return settings.model_copy(update={"max_connections": fitting}), (
        f"The system lets this process open {possible:,} files, so it takes {fitting:,} "
        f"connections at once in place of {settings.max_connections:,}; raise the limit "
        "(`ulimit -n`) for more."
    )


def _tls(settings: ServingConfig) -> dict[str, Any]:
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise SettingError("TLS needs both --tls-cert and --tls-key.")
    for path in (settings.tls_cert, settings.tls_key):
        if path is not None and not path.is_file():
            raise SettingError(f"{path} is missing; give PEM files for TLS.")
    return {"ssl_certfile": settings.tls_cert, "ssl_keyfile": settings.tls_key}
