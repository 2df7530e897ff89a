"""Addresses of clusters, and what answers there."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.shards.on_ray.address import RayAddress, answers


@contextmanager
def server(first: bytes) -> Iterator[int]:
    """Run a server that says something to the first who connects, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(64)
                connection.sendall(first)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("10.0.0.1:6379", "10.0.0.1", 6379),
        ("head:1", "head", 1),
        ("ray://head.example:10001", "head.example", 10001),
        ("[::1]:6379", "::1", 6379),
        ("ray://[fe80::2]:10001", "fe80::2", 10001),
    ],
)
def test_host_and_port(text: str, host: str, port: int) -> None:
    address = RayAddress.read(text)
    assert address == (text, host, port)
    assert address.is_client == text.startswith("ray://")
    assert not address.is_own


@pytest.mark.parametrize(
    "text", ["", "head", "head:", ":6379", "head:99999", "http://head:1", "a b:1", "head:1/x"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(SettingError, match="give auto, local, HOST:PORT or ray://HOST:PORT"):
        RayAddress.read(text)


def test_a_cluster_of_its_own() -> None:
    address = RayAddress.read("local")
    assert address.is_own
    address.refuse_silence()


def test_auto_is_what_ray_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(SettingError, match="finds no Ray cluster on this machine"):
        RayAddress.read("auto")
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("10.0.0.1:6379\n")
    found = RayAddress.read("auto")
    assert found == ("auto", "10.0.0.1", 6379)  # so that Ray finds it, too, and its token
    assert found.name == "10.0.0.1:6379"
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    assert RayAddress.read("auto").is_client


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_what_ray_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    (tmp_path / "ray").mkdir()
    noted = tmp_path / "ray" / "ray_current_cluster"
    os.mkfifo(noted)
    with pytest.raises(SettingError, match="finds no Ray cluster on this machine"):
        RayAddress.read("auto")
    noted.unlink()
    noted.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="finds no Ray cluster on this machine"):
        RayAddress.read("auto")


def test_nobody_answers() -> None:
    port = closed_port()
    with pytest.raises(SettingError, match=f"No Ray cluster answers at 127.0.0.1:{port} .*refused"):
        RayAddress.read(f"127.0.0.1:{port}").refuse_silence()
    with pytest.raises(SettingError, match=r"No Ray cluster answers at ray://no.such.invalid:1"):
        RayAddress.read("ray://no.such.invalid:1").refuse_silence()


def test_something_else_answers() -> None:
    with server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        assert answers("127.0.0.1", port) == "something else is there"
    with server(b"") as port:
        assert answers("127.0.0.1", port) == "something else is there"


def test_a_server_of_http_2_answers() -> None:
    with server(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00") as port:
        assert answers("127.0.0.1", port) is None
