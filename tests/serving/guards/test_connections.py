"""Connections that keep the server waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress

import pytest

from tests.serving.conftest import Server
from tests.serving.wire import connected, exchange, read_all

Guarded = Callable[..., Server]
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def hurried(guarded: Guarded) -> Server:
    """A server that waits for nobody."""
    return guarded(header_seconds=0.2, body_seconds=0.2, idle_seconds=0.2)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", b"408"),
        (b"GET /health HTTP/1.1\r\nHost: loc", b"408"),
        (POST + b"Content-Length: 100\r\n\r\n{", b"408"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", b"408"),
        (HEALTH, b"200"),  # and then no second request
    ],
)
def test_a_connection_that_says_no_more_is_closed(
    hurried: Server, sent: bytes, status: bytes
) -> None:
    assert exchange(hurried.url, sent).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize(
    "head", [b"GET /health HTTP/1.1\r\n", POST + b"Content-Length: 100\r\n\r\n"]
)
def test_single_bytes_do_not_prolong_the_wait(hurried: Server, head: bytes) -> None:
    with closing(connected(hurried.url)) as connection:
        connection.sendall(head)
        with suppress(ConnectionError):
            for _ in range(200):
                connection.sendall(b"X")
                time.sleep(0.02)
            pytest.fail("the server reads on")
        assert read_all(connection)[:12] in (b"HTTP/1.1 408", b"")


def test_a_refused_body_is_not_read_without_end(guarded: Guarded) -> None:
    server = guarded(body_seconds=0.3, max_body="1kB")
    sent = 0
    with closing(connected(server.url)) as connection:
        connection.sendall(POST + b"Content-Length: 1000000000000\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 413"
        with suppress(ConnectionError):
            while sent < 1 << 34:
                sent += connection.send(bytes(1 << 16))
    assert sent < 1 << 34


def test_one_connection_too_many_hears_so(guarded: Guarded) -> None:
    server = guarded(max_connections=5)
    with ExitStack() as stack:
        for _ in range(5):
            connection = stack.enter_context(closing(connected(server.url)))
            connection.sendall(HEALTH)
            assert connection.recv(12) == b"HTTP/1.1 200"
        refused = exchange(server.url, b"")
        assert refused.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 1" in refused
    deadline = time.monotonic() + 20
    while not exchange(
        server.url, HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    ).startswith(b"HTTP/1.1 200"):
        assert time.monotonic() < deadline, "the places are not given back"


@pytest.mark.slow
def test_many_idle_connections_hinder_nobody(server: Server) -> None:
    with ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(closing(connected(server.url)))
            connection.sendall(HEALTH[: number % 2 * 10])
        assert server.client.get("/health").status_code == 200


def test_a_client_that_does_not_read_is_left(guarded: Guarded) -> None:
    server = guarded(write_seconds=0.2)
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with closing(connected(server.url)) as connection:
        connection.sendall(request * 1000)
        deadline = time.monotonic() + 20
        while not server.state.connections:
            time.sleep(0.01)
        while server.state.connections:
            assert time.monotonic() < deadline, "the connection is still open"
            time.sleep(0.02)
        assert len(read_all(connection)) < 1000 * len(server.client.get("/openapi.json").content)
