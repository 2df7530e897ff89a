"""What strangers send on purpose: the server refuses it, stays small, and goes on answering."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.serving.conftest import Server
from tests.serving.models import word_vectors
from tests.serving.wire import connected, exchange, read_all

Serve = Callable[..., Server]
MEGABYTE = 1 << 20
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("folder", ["/playground/", "/docs/", "/"])
@pytest.mark.parametrize(
    "path",
    [
        "../../../../../../etc/passwd",
        "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/settings.py",
        "..\\..\\settings.py",
        "..%5c..%5csettings.py",
        "....//....//settings.py",
        "..;/settings.py",
        "%00/etc/passwd",
        "/etc/passwd",
        "%252e%252e%252fsettings.py",
        "..%c0%af..%c0%afsettings.py",
        "file:///etc/passwd",
        "~root/.bashrc",
    ],
)
def test_no_path_leads_out_of_the_pages(server: Server, folder: str, path: str) -> None:
    head = f"GET {folder}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = exchange(server.url, head.encode("ascii"))
    assert answer[9:12] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize("is_chunked", [True, False])
def test_a_large_body_takes_no_memory(serve: Serve, is_chunked: bool) -> None:
    server = serve({"words": word_vectors()}, max_body="1MB")
    answer, growth = _flood(server, 64 * MEGABYTE, is_chunked)
    assert answer.startswith(b"HTTP/1.1 413")
    assert growth < 16 * MEGABYTE
    assert server.client.get("/health").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("is_chunked", [True, False])
def test_a_gigabyte_takes_no_memory(serve: Serve, is_chunked: bool) -> None:
    server = serve({"words": word_vectors()})  # 32 MB are taken in before it is too much
    answer, growth = _flood(server, 1024 * MEGABYTE, is_chunked)
    assert answer.startswith(b"HTTP/1.1 413")
    assert growth < 96 * MEGABYTE
    assert server.client.get("/health").status_code == 200


def test_clients_that_leave_in_the_middle_leave_nothing(serve: Serve) -> None:
    server = serve({"words": word_vectors()}, max_requests=4, max_body="10kB", max_bodies="10kB")
    body = b'{"words": ["ship"]}'
    head = b"POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    whole = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    for end in [*range(0, len(whole), 8), len(whole)]:
        with closing(connected(server.url)) as connection:
            connection.sendall(whole[:end])
    large = head + b"Content-Length: 9000\r\n\r\n" + b" " * 8000
    for _ in range(5):
        with closing(connected(server.url)) as connection:
            connection.sendall(large)
    for _ in range(1000):
        if server.client.post("/neighbors", content=body, headers=JSON).status_code == 200:
            break
    assert server.client.post("/neighbors", content=b" " * 9000, headers=JSON).status_code == 400


def _flood(server: Server, size: int, is_chunked: bool) -> tuple[bytes, int]:
    """Send so many zeros; return what the server says, and by how much the process grew."""
    head = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    said = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: %d" % size
    zeros = bytes(MEGABYTE)
    piece = b"100000\r\n" + zeros + b"\r\n" if is_chunked else zeros
    before = _resident()
    peak = before
    with closing(connected(server.url)) as connection:
        answers: list[bytes] = []
        reader = threading.Thread(target=lambda: answers.append(read_all(connection)))
        connection.sendall(head + b"Connection: close\r\n" + said + b"\r\n\r\n")
        reader.start()
        with suppress(ConnectionError):
            for _ in range(size // MEGABYTE):
                connection.sendall(piece)
                peak = max(peak, _resident())
        reader.join(60)
    return b"".join(answers), peak - before


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
