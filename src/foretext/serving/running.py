"""A server from its first moment to its last: it listens, opens its models, answers, and stops."""

from __future__ import annotations

import gc
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable
from types import FrameType

import uvicorn

from foretext.errors import SettingError
from foretext.serving.app import create_app
from foretext.serving.listening import listening_config
from foretext.serving.served_model import Models
from foretext.serving.settings import ServingConfig

__all__ = ["Listening", "run_server"]

BACKLOG = 2048  # connections that wait until they are accepted


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
    server = _Server(config)
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
    """uvicorn's server, which a second signal of any kind ends without a word."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Finish what was accepted, or with the second signal nothing."""
        if self.should_exit:
            self.force_exit = True
            # Requests are cancelled now, and each would be a traceback of an error that is none.
            logging.getLogger("uvicorn.error").disabled = True
        super().handle_exit(sig, frame)


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
