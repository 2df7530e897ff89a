"""A running server of tiny models, for every test of routes and clients."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn

from foretext.serving import ServingConfig, create_app
from foretext.serving.running import listening_config
from tests.serving.models import made_models

__all__ = ["Server", "running"]


class Server(NamedTuple):
    """One that answers."""

    url: str  # without a slash at its end
    models: Mapping[str, Any]  # as `foretext.load` opens them
    client: httpx.Client  # whose requests begin with the url
    app: Any
    state: Any  # of uvicorn: its open connections


@contextmanager
def running(models: Mapping[str, Any], **settings: Any) -> Iterator[Server]:
    """Run a server in a thread of its own, at a free port of this machine."""
    chosen = ServingConfig(**{"port": 0, "access_log": "off", **settings})
    app = create_app(models, chosen)
    server = uvicorn.Server(listening_config(app, chosen))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    with httpx.Client(base_url=url, timeout=60) as client:
        try:
            yield Server(url, models, client, app, server.server_state)
        finally:
            server.should_exit = True
            client.close()
            thread.join(30)
    assert not thread.is_alive(), "the server did not stop"


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The tiny models by name; see `tests.serving.models`."""
    return made_models(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="session")
def server(models: dict[str, Any]) -> Iterator[Server]:
    """A server of all tiny models, with default settings."""
    with running(models) as started:
        yield started


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start a server with other models or settings: ``serve(models, max_requests=2)``."""
    open_servers = []

    def start(models: Mapping[str, Any], **settings: Any) -> Server:
        context = running(models, **settings)
        open_servers.append(context)
        return context.__enter__()

    yield start
    for context in open_servers:
        context.__exit__(None, None, None)
