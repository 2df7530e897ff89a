"""A server from its first moment to its last: it listens, opens its models, answers, and stops.

How much memory the libraries below a server keep for work that comes again. oneDNN compiles a
product for each shape of its matrices, and PyTorch keeps the description of each: together half a
megabyte. Texts of clients give each batch another shape, so that the 1,024 that both keep are
soon hundreds of megabytes, which hardly any batch uses again. The layers of a batch repeat some
ten shapes, and those are what has to be kept.

PyTorch reads the variables at its first product. The C library's setting counts for threads that
start later.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from foretext.base.errors import SettingError
from foretext.base.runtime import usable_cores
from foretext.base.system import c_function, open_file_limits, raise_open_file_limit
from foretext.base.terminal import say
from foretext.messages import message
from foretext.serving.app import create_app
from foretext.serving.guards.connections import connection_class
from foretext.serving.guards.origins import is_loopback
from foretext.serving.served_model import Models
from foretext.serving.settings import Keys, ServingConfig, readable_by_others

__all__ = [
    "Listening",
    "fit_connections",
    "limit_library_memory",
    "listening_config",
    "listening_warnings",
    "process_seconds",
    "run_server",
]

QUIET_SECONDS = 60.0  # between two lines about what the system does not give
NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

KEPT = 32  # shapes: of the layers of several models
MOST_KEPT = 1024  # what the libraries keep by themselves

ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
ARENA_CHOICE = "MALLOC_ARENA_MAX"

BACKLOG = 2048  # connections that wait in the system until they are accepted

# asyncio accepts so many before it looks at any of them. It goes on in the same way when a process
# has no file left, and reports each failure.
ACCEPTED_AT_ONCE = 16

# Open files that are no connections: models, log, pipes; and refused connections on their way out.
OTHER_FILES = 64 + 4 * ACCEPTED_AT_ONCE

STARTED = 22 - 3  # `starttime` of proc(5), among the fields after the name


class Listening:
    """A place at which a server is reached, taken before anything slow begins.

    Args:
        settings: say where.

    Raises:
        SettingError: the place is taken, or there is no such one.
    """

    def __init__(self, settings: ServingConfig) -> None:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        place = settings.host, settings.port
        try:
            self.socket = socket.create_server(place, family=family, backlog=BACKLOG)
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "this is no name of a host"
            raise SettingError(
                f"The server cannot listen at port {settings.port} of {settings.host}: {reason}; "
                "give another --port (0 takes a free one) or --host."
            ) from error
        port = self.socket.getsockname()[1]
        host = f"[{settings.host}]" if family == socket.AF_INET6 else settings.host
        self.url = f"http{'s' if settings.tls_cert else ''}://{host}:{port}"

    def close(self) -> None:
        """Give the place back."""
        self.socket.close()


def run_server(
    models: Models,
    settings: ServingConfig,
    listening: Listening,
    ready: Callable[[float], object],
) -> None:
    """Serve until a signal comes, and then finish what was accepted.

    Args:
        models: opened in the background, while the server answers that they are being loaded.
        settings: of the server.
        listening: where it is reached.
        ready: called when the models are open, with the seconds that it took.

    Raises:
        ForetextError: a model cannot be opened, or a setting is wrong.
        KeyboardInterrupt: a second Ctrl-C stopped the server at once.
    """
    config = listening_config(create_app(models, settings), settings)
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise SettingError(
            f"{settings.tls_cert} and {settings.tls_key} cannot be used for TLS: {error}; give a "
            "certificate and its key as PEM files."
        ) from error
    server = _Server(config, settings.header_seconds)
    loading = _Loading(models, ready, server)
    loading.start()
    try:
        server.run(sockets=[listening.socket])
    except KeyboardInterrupt:  # uvicorn repeats the signal that stopped it
        if server.force_exit:
            raise
    if loading.error is not None:
        raise loading.error


class _Server(uvicorn.Server):
    """uvicorn's server, which a second signal of any kind ends without a word.

    SIGHUP, which comes when a terminal is closed, ends it as SIGTERM does, except where the process
    was started to ignore it (nohup). It is no second signal: shell and system may both send it.
    """

    def __init__(self, config: uvicorn.Config, handshake_seconds: float) -> None:
        super().__init__(config)
        self.handshake_seconds = handshake_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; connections wait in the system, and failures to accept them are one line."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_Unaccepted())
        if self.config.ssl is not None:  # or one that never begins holds a file for a minute
            in_time = partial(loop.create_server, ssl_handshake_timeout=self.handshake_seconds)
            loop.create_server = in_time  # type: ignore[method-assign]
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take SIGHUP, too."""
        number = getattr(signal, "SIGHUP", None)  # not on Windows
        with super().capture_signals():
            if number is None or signal.getsignal(number) == signal.SIG_IGN:
                yield
                return
            before = signal.signal(number, self._hang_up)
            try:
                yield
            finally:
                signal.signal(number, before)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            self.handle_exit(signal.SIGTERM, frame)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Finish what was accepted, or with the second signal nothing."""
        if self.should_exit:
            self.force_exit = True
            # Requests are cancelled now, and each would be a traceback of an error that is none.
            logging.getLogger("uvicorn.error").disabled = True
        super().handle_exit(sig, frame)


class _Unaccepted:
    """What is said of connections for which the system gives no file or memory: a line a minute."""

    def __init__(self) -> None:
        self._said = -QUIET_SECONDS

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take note of what failed outside of any request."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in NO_ROOM):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._said >= QUIET_SECONDS:
            self._said = time.monotonic()
            say(
                message("terminal.serve.wait", cause=error.strerror),
                error=True,
            )


class _Loading(threading.Thread):
    """Opens the models; where that fails, the server ends."""

    def __init__(
        self, models: Models, ready: Callable[[float], object], server: uvicorn.Server
    ) -> None:
        super().__init__(name="foretext-loading", daemon=True)
        self.error: BaseException | None = None
        self._models, self._ready, self._server = models, ready, server

    def run(self) -> None:
        """Open them."""
        began = time.monotonic()
        try:
            self._models.load()
        except BaseException as error:  # such as a panic of a library in Rust
            self.error = error
            self._server.should_exit = True
            return
        gc.collect()
        gc.freeze()  # or Python looks for garbage in the models again and again
        self._ready(time.monotonic() - began)


def limit_library_memory(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let libraries keep less, unless the user chose something; to be called before PyTorch's work.

    Args:
        environment: of this process.
    """
    environment.setdefault("LRU_CACHE_CAPACITY", str(KEPT))  # PyTorch's, of each thread
    shared = min(KEPT * usable_cores(), MOST_KEPT)  # each core may have a batch of its own
    environment.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(shared))
    if ARENA_CHOICE not in environment:
        _share_heap()


def _share_heap() -> None:
    """Let all threads allocate from one heap, where what one gives back is of use to all."""
    set_option = c_function("mallopt")  # other C libraries have none
    if set_option is not None:
        set_option(ARENA_MAX, 1)


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
        warnings.append(message("terminal.serve.readable", file=file))
    if is_loopback(settings.host):
        return warnings
    if not keys:
        warnings.append(message("terminal.serve.open", host=settings.host))
    elif settings.tls_cert is None:
        warnings.append(message("terminal.serve.unencrypted"))
    return warnings


def fit_connections(settings: ServingConfig) -> tuple[ServingConfig, str | None]:
    """Let the process open a file for each connection; where the system does not, take fewer.

    Returns:
        The settings with as many connections as there are files for, and a sentence where these
        are fewer than before.
    """
    wanted = settings.max_connections + OTHER_FILES
    limits = open_file_limits()
    if limits is None or limits[0] >= wanted:
        return settings, None
    possible = min(wanted, limits[1])
    if not raise_open_file_limit(possible):
        possible = limits[0]
    if possible == wanted:
        return settings, None
    fitting = max(possible - OTHER_FILES, possible // 2)
    return settings.model_copy(update={"max_connections": fitting}), (
        message(
            "terminal.serve.connections",
            files=possible,
            fitting=fitting,
            wanted=settings.max_connections,
        )
    )


def _tls(settings: ServingConfig) -> dict[str, Any]:
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise SettingError(message("options.serve.tls"))
    for path in (settings.tls_cert, settings.tls_key):
        if path is not None and not path.is_file():
            raise SettingError(message("files.folder.pem", path=path))
    return {"ssl_certfile": settings.tls_cert, "ssl_keyfile": settings.tls_key}


def process_seconds(folder: Path = Path("/proc/self")) -> float | None:
    """Return the seconds since the system started this process; None: it does not say.

    Args:
        folder: of the process, as Linux shows it.
    """
    if sys.platform != "linux":
        return None
    try:
        fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:  # a container that hides it
        return None
    started = int(fields[STARTED]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started
