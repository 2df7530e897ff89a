"""A server from its first moment to its last: it listens, opens its models, answers, and stops."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.serving.app import create_app
from foretext.serving.listening import BACKLOG, listening_config
from foretext.serving.served_model import Models
from foretext.serving.settings import ServingConfig

__all__ = ["Listening", "run_server"]

QUIET_SECONDS = 60.0  # between two lines about what the system does not give
NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


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
                f"foretext: New connections wait: {error.strerror}. Lower max_connections, or let "
                "the process have more (`ulimit -n`).",
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
